import type { Logger } from 'pino'
import type { Explanations } from '../explain/explanations.ts'
import { hasSignature } from './read-signed.ts'
import type { RejectedSignature, SignatureServices } from './verify.ts'

export interface ReportOptions {
  /** Undefined if rejected signatures are not explained. */
  explanations: Explanations | undefined
  logger: Logger
}

/** There was no readable signature, so nothing was tried that could have been right. */
const UNREADABLE = 215

/** Loads the module with the first rejected signature, for a faster start. */
async function explainLater(refusal: RejectedSignature) {
  const { explain } = await import('./explain/explain.ts')
  return explain(refusal)
}

/** What has no signature is explained like any other refused call. */
const isSigned = ({ signed }: RejectedSignature) => signed === undefined || hasSignature(signed)

/** Logs each rejected signature, with the client's address. Returns the URL of its explanation, if there is one. */
export function reportRefusals({ explanations, logger }: ReportOptions): SignatureServices['refused'] {
  return (refusal) => {
    const { code, reason, client } = refusal
    const explain = isSigned(refusal) ? explanations?.keep(explainLater(refusal)) : undefined
    logger[code === UNREADABLE ? 'info' : 'warn']({ code, why: reason, address: client.address, explain }, 'OAuth signature rejected')
    return explain
  }
}
