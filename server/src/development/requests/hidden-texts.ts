/** What stands for a secret. */
export const HIDDEN = '***'

/** Shorter values would be found by chance. */
const SHORTEST_SECRET = 6

/** So many secrets of a call are looked for in its other texts. No client sends more, and each costs a search. */
const MAX_SECRETS = 200

/** A part of a query or a form; as it is where it is not valid encoding. */
export const decoded = (text: string) => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** A text as it stands in other texts: in a query, a form and JSON. */
const spellingsOf = (text: string) => [
  text,
  encodeURIComponent(text.toWellFormed()),
  new URLSearchParams([['', text]]).toString().slice(1),
  JSON.stringify(text).slice(1, -1),
]

/** The secrets of one call. */
export interface HiddenTexts {
  /** Remembers a secret. Returns what stands for it. */
  hide(value: string): string
  /** Hides in a text what was a secret elsewhere. */
  text(text: string): string
  /** Whether there were more secrets than are remembered: a text without a name may then have one. */
  isIncomplete(): boolean
}

export function createHiddenTexts(): HiddenTexts {
  const secrets = new Set<string>()
  const spellings = new Set<string>()
  let isIncomplete = false
  /** The longest first: one may be part of another. */
  let ordered: readonly string[] | undefined
  return {
    hide(value) {
      if (value.length < SHORTEST_SECRET || secrets.has(value)) return HIDDEN
      isIncomplete ||= secrets.size >= MAX_SECRETS
      if (isIncomplete) return HIDDEN
      ordered = undefined
      secrets.add(value)
      for (const one of [value, decoded(value)].flatMap(spellingsOf)) spellings.add(one)
      return HIDDEN
    },
    text(text) {
      ordered ??= [...spellings].sort((one, other) => other.length - one.length)
      return ordered.reduce((left, secret) => left.replaceAll(secret, HIDDEN), text)
    },
    isIncomplete: () => isIncomplete,
  }
}
