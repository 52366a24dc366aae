import { createHmac } from 'node:crypto'
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

/** Explains which wrong message or key the digest is made of, if it is a known one. */
function explainDigest(digest: Buffer, question: Question): string | undefined {
  const isRight = question.secrets.some((secret) => createHmac('sha256', secret).update(question.token).digest().equals(digest))
  if (isRight) return undefined
  const found = wrongTokens(question).find((wrong) => wrong.digest.equals(digest))
  if (found) return found.mistake
  if (digest.length === SHA1_BYTES) return 'is as long as a SHA-1: use HMAC-SHA256'
  if (digest.length !== SHA256_BYTES) return `holds ${digest.length} bytes, not the 32 of an HMAC-SHA256`
  return 'is signed with another key: the key is the consumer secret of this app, not its consumer key, a bearer token or an access token'
}

/** Explains why a `response_token` is wrong, without revealing the correct one. */
export function explainToken(token: string, question: Question): string {
  const { rest, mistakes } = peel(token)
  if (rest === '') return 'response_token is empty: it must be sha256= and the base64 of HMAC-SHA256(consumer secret, crc_token)'
  if (rest === question.token) return 'response_token is the crc_token itself, unsigned: answer sha256= and the base64 of its HMAC-SHA256'
  const decoded = decode(rest)
  if (!decoded) return 'response_token is no digest: it must be sha256= and the base64 of HMAC-SHA256(consumer secret, crc_token)'
  const all = [...mistakes, decoded.mistake, explainDigest(decoded.digest, question)].filter((mistake) => mistake !== undefined)
  return `response_token ${all.join(', and ')}`
}
