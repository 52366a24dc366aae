import { createHmac } from 'node:crypto'
import { printable } from '../send/printable.ts'
import { shorten } from '../send/shorten.ts'
import type { Question } from './wrong-tokens.ts'

const LONGEST_QUOTE = 80

/** What an answer contains, short and escaped; withheld when it holds a secret or the token that was expected. */
export function quote(text: string, { secrets, token }: Question): string {
  const digests = secrets.map((secret) => createHmac('sha256', secret).update(token).digest())
  const kept = [
    ...secrets,
    ...digests.flatMap((digest) => [digest.toString('base64').slice(0, -1), digest.toString('base64url'), digest.toString('hex')]),
  ]
  const plain = text.replaceAll('\\', '').toLowerCase()
  if (kept.some((one) => plain.includes(one.toLowerCase())))
    return 'text that is withheld here, because it holds a secret or the expected token'
  return printable(JSON.stringify(shorten(text, LONGEST_QUOTE)))
}
