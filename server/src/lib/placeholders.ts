/** Words of which samples, templates and demos make their secrets. */
const WORDS = new Set(
  `a access an and api app application at be bearer change changeit changeme characters client consumer default demo dev development do
  dummy enter example for generated goes here in insert is it key least long me must my not oauth of only operator or pass password
  placeholder please postern put random replace replaceme sample secret some string super test testing text the this to todo token use
  value very with xxx you your yours`.split(/\s+/),
)

/** Fewer different characters than a random text of 16 or more ever has. */
const FEWEST_CHARACTERS = 4

const SEQUENCES = ['0123456789', '1234567890', 'abcdefghijklmnopqrstuvwxyz', '0123456789abcdef'].map((text) => text.repeat(20))

/** The same text again and again, the last time perhaps cut off. */
function isRepetition(text: string): boolean {
  for (let length = 1; length <= text.length / 2; length += 1) if (text.startsWith(text.slice(length))) return true
  return false
}

const isSequence = (text: string) => SEQUENCES.some((sequence) => sequence.includes(text))

/** `your-consumer-secret`, `myAppKey123`: such words, perhaps with some digits. A random text of digits can hold an `a` or two. */
function isSample(text: string): boolean {
  const parts =
    text
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]+/g) ?? []
  const digits = text.match(/\d/g) ?? []
  return parts.length > 0 && parts.join('').length >= digits.length && parts.every((part) => WORDS.has(part))
}

/** Whether a secret is one that nobody has made up: of a template or a demo, a sequence, or few characters repeated. */
export function isPlaceholder(secret: string): boolean {
  const text = secret.trim()
  if (/change.?me|replace.?me|placeholder|^<.*>$|^\$?\{.*\}$|\.{3}|…/i.test(text)) return true
  const lower = text.toLowerCase()
  return new Set(lower).size < FEWEST_CHARACTERS || isRepetition(lower) || isSequence(lower) || isSample(text)
}
