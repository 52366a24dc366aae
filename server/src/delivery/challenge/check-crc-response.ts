import { createHmac } from 'node:crypto'
import { equalInConstantTime, signature } from '../../lib/crypto.ts'
import { STATUS_CODES } from '../../lib/node-http.ts'
import type { Answered } from '../send/outcome.ts'
import { printable, shorten } from '../send/printable.ts'
import { type Question, wrongTokens } from './wrong-tokens.ts'

const SHA256_BYTES = 32
const SHA1_BYTES = 20

const HEX_DIGEST = /^(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/

interface Decoded {
  digest: Buffer
  /** What is wrong with its encoding; follows "response_token" in a sentence. */
  mistake?: string
}

/** Decodes a digest from any encoding; undefined if the text is not a digest. */
function decode(text: string): Decoded | undefined {
  if (HEX_DIGEST.test(text)) return { digest: Buffer.from(text, 'hex'), mistake: 'is written in hex, not in base64' }
  if (!BASE64.test(text)) return undefined
  const digest = Buffer.from(text, 'base64')
  if (digest.length < SHA1_BYTES) return undefined
  const inner = digest.toString('latin1')
  if (HEX_DIGEST.test(inner)) {
    return { digest: Buffer.from(inner, 'hex'), mistake: 'is the base64 of hex text, not of the raw bytes of the digest' }
  }
  if (/[-_]/.test(text))
    return { digest, mistake: 'is written in base64url, not in base64: use + and / instead of - and _, and = at the end' }
  if (text.length % 4 !== 0) return { digest, mistake: 'is base64 without its padding: keep the = at the end' }
  return { digest }
}

/** Removes a wrong beginning and end from the token. Returns the rest and what was wrong. */
function peel(token: string): { rest: string; mistakes: string[] } {
  const text = token.trim()
  const [prefix = ''] = /^(?:hmac-)?sha-?\d+\s*[=:]\s*/i.exec(text) ?? []
  const mistakes = text === token ? [] : ['has white space or a line break around it']
  if (prefix === '') mistakes.push('lacks the prefix sha256=')
  else if (prefix !== 'sha256=') mistakes.push(`begins with ${prefix.trim()}, not with sha256=`)
  return { rest: text.slice(prefix.length), mistakes }
}

/** A token that is right in form: how `details` end then. */
export const OTHER_KEY =
  'is signed with another key: the key is the consumer secret of this app, not its consumer key, a bearer token or an access token'

/** Explains which wrong message or key the digest is made of, if it is a known one. */
function explainDigest(digest: Buffer, question: Question): string | undefined {
  const isRight = question.secrets.some((secret) => createHmac('sha256', secret).update(question.token).digest().equals(digest))
  if (isRight) return undefined
  const found = wrongTokens(question).find((wrong) => wrong.digest.equals(digest))
  if (found) return found.mistake
  if (digest.length === SHA1_BYTES) return 'is as long as a SHA-1: use HMAC-SHA256'
  if (digest.length !== SHA256_BYTES)
    return `holds ${digest.length} ${digest.length === 1 ? 'byte' : 'bytes'}, not the 32 of an HMAC-SHA256`
  return OTHER_KEY
}

/** Explains why a `response_token` is wrong, without revealing the correct one. */
function explainToken(token: string, question: Question): string {
  const { rest, mistakes } = peel(token)
  if (rest === '') return 'response_token is empty: it must be sha256= and the base64 of HMAC-SHA256(consumer secret, crc_token)'
  if (rest === question.token) return 'response_token is the crc_token itself, unsigned: answer sha256= and the base64 of its HMAC-SHA256'
  const decoded = decode(rest)
  if (!decoded) return 'response_token is no digest: it must be sha256= and the base64 of HMAC-SHA256(consumer secret, crc_token)'
  const all = [...mistakes, decoded.mistake, explainDigest(decoded.digest, question)].filter((mistake) => mistake !== undefined)
  return `response_token ${all.join(', and ')}`
}

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b])
const MAX_QUOTED_MEMBERS = 5
const MAX_QUOTE_LENGTH = 80

/** What of an answer is wrong. */
type WrongPart = 'status' | 'body' | 'signature'

/** `secret` is the index of the secret with which the response is signed; `details` say why it does not pass. */
export type CrcCheck = { passed: true; secret: number } | { passed: false; step: WrongPart; details: string }

/** Checks the response to a challenge (§4.2), and explains what is wrong with it. */
export function checkCrcResponse(answer: Pick<Answered, 'status' | 'headers' | 'body' | 'truncated'>, question: Question): CrcCheck {
  if (answer.status !== 200) return failed('status', explainStatus(answer, question))
  if (answer.truncated) return failed('body', 'the answer is longer than 16 KB: answer with nothing but the JSON object')
  const found = readToken(answer, question)
  if ('reason' in found) return failed('body', found.reason)
  const matches = question.secrets.map((secret) => equalInConstantTime(found.token, signature(secret, question.token)))
  return matches.includes(true) ? { passed: true, secret: matches.indexOf(true) } : failed('signature', explainToken(found.token, question))
}

const failed = (step: WrongPart, details: string): CrcCheck => ({ passed: false, step, details })

/** The answer that passes, without its signature. */
const ANSWER = '{"response_token":"sha256=…"}'

const ADVICE: Record<number, string> = {
  204: `a challenge needs a body: answer 200 with the JSON object ${ANSWER}`,
  401: 'answer challenges without asking for credentials; our signature is in a header, made with the consumer secret of this app',
  403: 'let our requests in; a firewall or CSRF protection may stand before the callback',
  404: 'nothing answers GET at this path; the challenge is a GET to the same URL as the events',
  405: 'the challenge is a GET, the events are POSTs; answer both at this URL',
  406: 'we accept application/json',
  429: 'do not limit the rate of challenges',
}

function explainStatus({ status, headers }: Pick<Answered, 'status' | 'headers'>, question: Question): string {
  const name = STATUS_CODES[status] ? ` (${STATUS_CODES[status]})` : ''
  const answered = `the callback answered ${status}${name} to the challenge`
  if (status >= 300 && status < 400) {
    const where = headers.location === undefined ? '' : ` to ${quote(headers.location, question)}`
    return `${answered}, a redirect${where}: redirects are not followed, so register the URL that answers itself`
  }
  return `${answered}: ${ADVICE[status] ?? (status < 300 ? 'it must be exactly 200' : `it must answer 200 with the JSON object ${ANSWER}`)}`
}

type Found = { token: string } | { reason: string }

function readToken({ body, headers }: Pick<Answered, 'body' | 'headers'>, question: Question): Found {
  if (body.length === 0) return { reason: 'the answer is empty: answer with {"response_token": "sha256=…"}' }
  if (body.subarray(0, 2).equals(GZIP_MAGIC))
    return { reason: 'the answer is compressed with gzip, which was not asked for: send it plain' }
  const text = new TextDecoder().decode(body)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    const type = headers['content-type'] === undefined ? 'has no content type' : `is ${quote(headers['content-type'], question)}`
    return { reason: `the answer is not JSON: it ${type} and begins with ${quote(text, question)}` }
  }
  return memberOf(value, question)
}

function memberOf(value: unknown, question: Question): Found {
  if (typeof value === 'string' && value.trimStart().startsWith('{')) {
    return { reason: 'the answer is JSON inside a JSON string: it was encoded twice' }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { reason: 'the answer is JSON but not an object: answer with {"response_token": "sha256=…"}' }
  }
  if (!Object.hasOwn(value, 'response_token')) return { reason: `the answer has no member response_token: ${membersOf(value, question)}` }
  const token: unknown = (value as { response_token: unknown }).response_token
  return typeof token === 'string' ? { token } : { reason: `response_token is ${kindOf(token)}, not a string` }
}

function membersOf(value: object, question: Question): string {
  const names = Object.keys(value)
  if (names.length === 0) return 'it is an empty object'
  const quoted = names.slice(0, MAX_QUOTED_MEMBERS).map((name) => quote(name, question))
  return `it has ${quoted.join(', ')}${names.length > MAX_QUOTED_MEMBERS ? ' and more' : ''}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`
}

/** Quotes a text of the response, shortened and escaped. Withholds it if it contains a secret or the expected token. */
function quote(text: string, { secrets, token }: Question): string {
  const digests = secrets.map((secret) => createHmac('sha256', secret).update(token).digest())
  const secretTexts = [
    ...secrets,
    ...digests.flatMap((digest) => [digest.toString('base64').slice(0, -1), digest.toString('base64url'), digest.toString('hex')]),
  ]
  const plain = text.replaceAll('\\', '').toLowerCase()
  if (secretTexts.some((one) => plain.includes(one.toLowerCase())))
    return 'text that is withheld here, because it holds a secret or the expected token'
  return printable(JSON.stringify(shorten(text, MAX_QUOTE_LENGTH)))
}
