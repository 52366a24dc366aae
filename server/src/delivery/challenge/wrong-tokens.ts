import { createHash, createHmac } from 'node:crypto'

/** A challenge request, and the secrets with which the response may be signed. */
export interface Question {
  token: string
  nonce: string
  /** `crc_token=…&nonce=…` */
  query: string
  /** The requested URL with the whole query. */
  url: string
  secrets: readonly string[]
}

/** A wrong digest that a callback may have returned, and the mistake that it shows. */
interface WrongToken {
  digest: Buffer
  mistake: string
}

const SIGN_ONLY = 'sign only the value of crc_token'

/** Messages that callbacks sign by mistake instead of the token. */
function wrongMessages({ token, nonce, query, url }: Question): [mistake: string, message: string | Buffer][] {
  const { search, pathname } = new URL(url)
  const whole = 'is signed over the whole query string'
  return [
    [whole, query],
    [whole, `?${query}`],
    [whole, search],
    [whole, search.slice(1)],
    ['is signed over the name and the value', `crc_token=${token}`],
    ['is signed over the path and the query', pathname + search],
    ['is signed over the whole URL', url],
    ['is signed over the token and the nonce', token + nonce],
    ['is signed over the token and the nonce', nonce + token],
    ['is signed over the nonce', nonce],
    ['is signed over the token and a line break', `${token}\n`],
    ['is signed over the token and a line break', `${token}\r\n`],
    ['is signed over the token in quotes', JSON.stringify(token)],
    ['is signed over a JSON object', JSON.stringify({ crc_token: token })],
    ['is signed over the token decoded from base64', Buffer.from(token, 'base64')],
    ['is signed over the token encoded in base64', Buffer.from(token).toString('base64')],
    ['is signed over the token in lower case', token.toLowerCase()],
    ['is signed over an empty message, as if the query had not been read', ''],
  ]
}

const hmac = (algorithm: string, key: string, message: string | Buffer) => createHmac(algorithm, key).update(message).digest()
const hash = (text: string) => createHash('sha256').update(text).digest()

/** The wrong digests of known mistakes, for each secret. */
export function wrongTokens(question: Question): WrongToken[] {
  const { token, secrets } = question
  const messages = wrongMessages(question)
  return [
    { digest: hash(token), mistake: 'is a plain SHA-256 of the token: use HMAC-SHA256 with the consumer secret as the key' },
    ...secrets.flatMap((secret): WrongToken[] => [
      { digest: hmac('sha1', secret, token), mistake: 'is an HMAC-SHA1: use HMAC-SHA256' },
      { digest: hmac('sha512', secret, token), mistake: 'is an HMAC-SHA512: use HMAC-SHA256' },
      {
        digest: hmac('sha256', token, secret),
        mistake: 'has key and message exchanged: the consumer secret is the key, crc_token the message',
      },
      {
        digest: hmac('sha256', `${secret}\n`, token),
        mistake: 'is signed with the consumer secret and a line break: trim what you read from a file',
      },
      {
        digest: hmac('sha256', `${secret}&`, token),
        mistake: 'is signed with the consumer secret and "&", as in OAuth 1.0a: use the consumer secret alone',
      },
      {
        digest: hash(secret + token),
        mistake: 'is a plain SHA-256 of secret and token: use HMAC-SHA256 with the consumer secret as the key',
      },
      ...messages.map(([mistake, message]) => ({ digest: hmac('sha256', secret, message), mistake: `${mistake}: ${SIGN_ONLY}` })),
    ]),
  ]
}
