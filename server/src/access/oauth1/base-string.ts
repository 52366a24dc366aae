/** A parameter as it was sent, decoded. */
export interface Parameter {
  name: string
  value: string
  from: 'header' | 'query' | 'form'
}

/** Texts that need no encoding, which are most. */
const PLAIN = /^[\w.~-]*$/

/** Percent-encoding of RFC 5849, section 3.6: everything but letters, digits and `-._~`. */
export const encode = (text: string): string =>
  PLAIN.test(text) ? text : encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

const byCode = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

/** The order of encoded names and values: by the name and then by the value. */
export const byNameAndValue = ([name, value]: [string, string], [otherName, otherValue]: [string, string]): number =>
  byCode(name, otherName) || byCode(value, otherValue)

/** The parameters of RFC 5849, section 3.4.1.3.2: encoded, sorted by name and then by value, in one line. */
export const normalize = (parameters: readonly Pick<Parameter, 'name' | 'value'>[]): string =>
  parameters
    .map(({ name, value }): [string, string] => [encode(name), encode(value)])
    .sort(byNameAndValue)
    .map(([name, value]) => `${name}=${value}`)
    .join('&')

/** The base string of RFC 5849, section 3.4.1.1. `uri` is the request's without a query, with its host in lower case and no default port. */
export const baseString = (method: string, uri: string, normalized: string): string =>
  `${method.toUpperCase()}&${encode(uri)}&${encode(normalized)}`

/** The key of RFC 5849, section 3.4.2. The token secret is empty if there is no token. */
export const signingKey = (consumerSecret: string, tokenSecret: string): string => `${encode(consumerSecret)}&${encode(tokenSecret)}`
