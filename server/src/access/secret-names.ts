/** Names of parameters, members and headers whose values are secrets, or may be. */
const SECRET =
  /token|secret|pass(word|wd|phrase)|verifier|signature|authenticity|authorization|cookie|session|csrf|assertion|credential|proof|challenge$|^pin$|^key$|(api|consumer|private|access)[-_]?key$/i

/** Names that only look so. */
const HARMLESS: ReadonlySet<string> = new Set([
  'next_token',
  'previous_token',
  'pagination_token',
  'token_type',
  'token_type_hint',
  'oauth_signature_method',
])

/** A secret in requests and in redirects; in an answer it is the number of an error. */
const CODE = /^((authorization|auth|device|user|verification)_)?code$/i

/** Whether what has this name is a secret. The ledger and the explanations of refusals ask this alone. */
export const isSecretName = (name: string): boolean => SECRET.test(name) && !HARMLESS.has(name.toLowerCase())

/** The same for what a client sends. */
export const isSecretWhenSent = (name: string): boolean => isSecretName(name) || CODE.test(name)

const inUrl = (text: string): string[] => (/^https?:\/\/\S+\?/.test(text) ? secretsInPairs(URL.parse(text)?.search ?? '') : [])

/** Every secret of a query or a form, also in values that are JSON or URLs. */
export const secretsInPairs = (text: string): string[] =>
  [...new URLSearchParams(text)].flatMap(([name, value]) => (isSecretWhenSent(name) ? [value] : secretsInText(value)))

/** Every text below secret names, however deep, in JSON that a client sent. */
function secretsInJson(value: unknown, isSecret = false): string[] {
  if (typeof value === 'string') return isSecret ? [value] : secretsInText(value)
  if (typeof value === 'number') return isSecret ? [String(value)] : []
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((one) => secretsInJson(one, isSecret))
  return Object.entries(value).flatMap(([name, inner]) => secretsInJson(inner, isSecret || isSecretWhenSent(name)))
}

/** Every secret of a text that is JSON or a URL; none of another text. */
export function secretsInText(text: string): string[] {
  if (!/^\s*[{[]/.test(text)) return inUrl(text)
  try {
    return secretsInJson(JSON.parse(text))
  } catch {
    return []
  }
}

/** Shorter secrets are not looked for in other texts, where they would be found by chance. */
export const SHORTEST_SECRET = 6
