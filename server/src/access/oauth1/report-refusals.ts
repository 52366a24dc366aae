import type { Logger } from 'pino'
import { JSON_TYPE } from '../../api/answer/serialize.ts'
import type { RawAnswer } from '../../api/declare/raw-request.ts'
import { hasSignature } from './read-signed.ts'
import type { RejectedSignature, SignatureServices } from './verify.ts'

export interface ReportOptions {
  /** Keeps an explanation and answers its URL: in development alone. */
  explainSignature: ((refusal: RejectedSignature, answer: string) => string) | undefined
  logger: Logger
}

/** There was no readable signature, so nothing was tried that could have been right. */
const UNREADABLE = 215

/** What has no signature is explained like any other refused call. */
const isSigned = ({ signed }: RejectedSignature) => signed === undefined || hasSignature(signed)

interface ErrorBody {
  errors?: readonly { code?: number | string; message: string }[]
}

/** The first error of an answer: `code 32: Could not authenticate you.`, and with its status where errors have no number. */
function firstErrorOf({ status, headers, body }: RawAnswer): string {
  const { errors: [first] = [] }: ErrorBody = headers['content-type'] === JSON_TYPE ? JSON.parse(String(body)) : {}
  if (first?.code === undefined) return `status ${status}`
  return typeof first.code === 'number' ? `code ${first.code}: ${first.message}` : `status ${status}, ${first.code}: ${first.message}`
}

/** Logs each rejected signature, with the client's address. Returns the URL of its explanation, if there is one. */
export function reportRefusals({ explainSignature, logger }: ReportOptions): SignatureServices['refused'] {
  return (refusal, given) => {
    const { code, reason, client } = refusal
    const answer = firstErrorOf(given)
    const explain = isSigned(refusal) ? explainSignature?.(refusal, answer) : undefined
    logger[code === UNREADABLE ? 'info' : 'warn'](
      { code, answer, why: reason, address: client.address, explain },
      'OAuth signature rejected',
    )
    return explain
  }
}
