import { createHmac, randomBytes } from 'node:crypto'

const NONCE_BYTES = 16

interface Signing {
  method: string
  /** With the query. */
  url: string
  /** What the body carries as a form. */
  form?: readonly (readonly [name: string, value: string])[]
  consumerKey: string
  consumerSecret: string
  /** Without a token an app signs for itself. */
  token?: string
  tokenSecret?: string
  /** Parameters of the protocol besides the usual ones. */
  oauth?: Record<string, string>
}

/** Percent-encoding of RFC 3986, as OAuth 1.0a wants it. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)

const byText = (one: string, other: string) => (one < other ? -1 : Number(one > other))

/** The parameters as they stand in a base string: encoded, then sorted by name and value. */
const normalize = (parameters: readonly (readonly [string, string])[]) =>
  parameters
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([name, value], [otherName, other]) => byText(name, otherName) || byText(value, other))
    .map((pair) => pair.join('='))
    .join('&')

/** The Authorization header of a request signed with OAuth 1.0a, HMAC-SHA1, with a nonce of its own (RFC 5849, section 3). */
export function signRequest({ method, url, form = [], consumerKey, consumerSecret, token, tokenSecret = '', oauth }: Signing): string {
  const { origin, pathname, searchParams } = new URL(url)
  const parameters: Record<string, string> = {
    ...oauth,
    ...(token !== undefined && { oauth_token: token }),
    oauth_consumer_key: consumerKey,
    oauth_nonce: randomBytes(NONCE_BYTES).toString('hex'),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(Math.floor(Date.now() / 1000)),
  }
  const base = [method, origin + pathname, normalize([...searchParams, ...form, ...Object.entries(parameters)])].map(encode).join('&')
  const key = `${encode(consumerSecret)}&${encode(tokenSecret)}`
  const all = { ...parameters, oauth_signature: createHmac('sha1', key).update(base).digest('base64') }
  return `OAuth ${Object.entries(all)
    .map(([name, value]) => `${name}="${encode(value)}"`)
    .join(', ')}`
}
