import { createHmac, randomBytes } from 'node:crypto'
import { type Answer, call } from './call.ts'
import { headerOf, type SigningCredentials } from './oauth-client.ts'

type Pair = [name: string, value: string]

const encode = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)

const compare = ([name, value]: Pair, [otherName, otherValue]: Pair) =>
  name < otherName ? -1 : name > otherName ? 1 : value < otherValue ? -1 : 1

/** How a client signs and sends; each step can be done wrong. */
export interface Ways {
  /** What is signed of the parameters of the protocol, the query, and the form. */
  pairs: (oauth: Pair[], query: Pair[], form: Pair[]) => Pair[]
  encode: (text: string) => string
  sort: (pairs: Pair[]) => Pair[]
  /** The URL that is signed. */
  url: (url: URL) => string
  base: (method: string, url: string, line: string) => string
  key: (consumerSecret: string, tokenSecret: string) => string
  hash: 'sha1' | 'sha256'
  write: (digest: Buffer) => string
  /** The parameters of the protocol as they are sent. */
  sent: (oauth: Record<string, string>) => Record<string, string>
  header: (oauth: Record<string, string>) => string
}

const right: Ways = {
  pairs: (oauth, query, form) => [...oauth, ...query, ...form],
  encode,
  sort: (pairs) => pairs.toSorted(compare),
  url: ({ origin, pathname }) => origin + pathname,
  base: (...parts) => parts.map(encode).join('&'),
  key: (consumerSecret, tokenSecret) => `${encode(consumerSecret)}&${encode(tokenSecret)}`,
  hash: 'sha1',
  write: (digest) => digest.toString('base64'),
  sent: (oauth) => oauth,
  header: headerOf,
}

export interface CarelessCall {
  method?: string
  /** With its query. */
  url: string
  body?: string
  contentType?: string
  oauth?: Record<string, string>
  nowMs: number
}

const FORM = 'application/x-www-form-urlencoded'

/** Signs a request and sends it, right but for the ways that are given. */
export async function callCarelessly(
  { method = 'GET', url, body, contentType = FORM, oauth = {}, nowMs }: CarelessCall,
  { consumer_key, consumer_secret, oauth_token, oauth_token_secret = '' }: SigningCredentials,
  ways: Partial<Ways> = {},
): Promise<Answer> {
  const way = { ...right, ...ways }
  const unsigned: Record<string, string> = {
    oauth_consumer_key: consumer_key,
    oauth_nonce: randomBytes(16).toString('hex'),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(Math.floor(nowMs / 1000)),
    oauth_version: '1.0',
    ...(oauth_token !== undefined && { oauth_token }),
    ...oauth,
  }
  const form = contentType === FORM && body ? [...new URLSearchParams(body)] : []
  const pairs = way.pairs(Object.entries(unsigned), [...new URL(url).searchParams], form)
  const line = way
    .sort(pairs.map(([name, value]) => [way.encode(name), way.encode(value)]))
    .map((pair) => pair.join('='))
    .join('&')
  const base = way.base(method, way.url(new URL(url)), line)
  const signature = way.write(createHmac(way.hash, way.key(consumer_secret, oauth_token_secret)).update(base).digest())
  return call(url, method, {
    headers: {
      authorization: way.header(way.sent({ oauth_signature: signature, ...unsigned })),
      ...(body !== undefined && { 'content-type': contentType }),
    },
    body,
  })
}
