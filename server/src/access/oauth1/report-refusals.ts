import type { Logger } from 'pino'
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

/** Logs each rejected signature, with the client's address. Returns the URL of its explanation, if there is one. */
export function reportRefusals({ explainSignature, logger }: ReportOptions): SignatureServices['refused'] {
  return (refusal, answer) => {
    const { code, reason, client } = refusal
    const explain = isSigned(refusal) ? explainSignature?.(refusal, answer) : undefined
    logger[code === UNREADABLE ? 'info' : 'warn'](
      { code, answer, why: reason, address: client.address, explain },
      'OAuth signature rejected',
    )
    return explain
  }
}
