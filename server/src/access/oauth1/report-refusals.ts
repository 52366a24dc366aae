import type { Logger } from 'pino'
import type { Explanations } from './explain/explanations.ts'
import type { SignatureServices } from './verify.ts'

export interface ReportOptions {
  /** Undefined if rejected signatures are not explained. */
  explanations: Explanations | undefined
  /** The origin of the explanation pages. */
  origin: () => string
  logger: Logger
}

/** There was no readable signature, so nothing was tried that could have been right. */
const UNREADABLE = 215

/** Logs each rejected signature, with the client's address. Returns the URL of its explanation, if there is one. */
export function reportRefusals({ explanations, origin, logger }: ReportOptions): SignatureServices['refused'] {
  return (refusal) => {
    const { code, reason, client } = refusal
    const explain = explanations && `${origin()}/oauth/explanations/${explanations.keep(refusal)}`
    logger[code === UNREADABLE ? 'info' : 'warn']({ code, why: reason, address: client.address, explain }, 'OAuth signature rejected')
    return explain
  }
}
