import { createHmac, randomBytes } from 'node:crypto'

/** What a client signs with; without a token an app signs for itself. */
export interface SigningCredentials {
  consumer_key: string
  consumer_secret: string
  oauth_token?: string
  oauth_token_secret?: string
}

export interface ToSign extends SigningCredentials {
  method?: string
  /** With its query. */
  url: string
  form?: Record<string, string>
  /** Further parameters of the protocol, such as `oauth_callback`; one that is given replaces the usual one. */
  oauth?: Record<string, string>
  /** What the client takes for the time. */
  nowMs?: number
}

const encode = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

const compare = ([name, value]: string[], [otherName, otherValue]: string[]) =>
  name! < otherName! ? -1 : name! > otherName! ? 1 : value! < otherValue! ? -1 : 1

/** The signature of a request as RFC 5849 says, written apart from the server's. */
export function signatureOf(
  { method = 'GET', url, form = {}, consumer_secret, oauth_token_secret = '' }: ToSign,
  oauth: Record<string, string>,
) {
  const { origin, pathname, searchParams } = new URL(url)
  const pairs = [...Object.entries(oauth), ...searchParams, ...Object.entries(form)]
  const line = pairs
    .map((pair) => pair.map(encode))
    .sort(compare)
    .map((pair) => pair.join('='))
    .join('&')
  const base = [method, origin + pathname, line].map(encode).join('&')
  return createHmac('sha1', `${encode(consumer_secret)}&${encode(oauth_token_secret)}`)
    .update(base)
    .digest('base64')
}

/** The parameters of the protocol for a request, with its signature. */
export function oauthParameters(request: ToSign): Record<string, string> {
  const unsigned: Record<string, string> = {
    oauth_consumer_key: request.consumer_key,
    oauth_nonce: randomBytes(16).toString('hex'),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(Math.floor((request.nowMs ?? Date.now()) / 1000)),
    oauth_version: '1.0',
    ...(request.oauth_token !== undefined && { oauth_token: request.oauth_token }),
    ...request.oauth,
  }
  return { oauth_signature: signatureOf(request, unsigned), ...unsigned }
}

/** Parameters as an Authorization header. */
export const headerOf = (oauth: Record<string, string>): string =>
  `OAuth ${Object.entries(oauth)
    .map(([name, value]) => `${encode(name)}="${encode(value)}"`)
    .join(', ')}`

/** The Authorization header of a request. */
export const authorization = (request: ToSign): string => headerOf(oauthParameters(request))
