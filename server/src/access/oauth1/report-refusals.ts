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

/** Logs each rejected signature. Returns the URL of its explanation, if there is one. */
export function reportRefusals({ explanations, origin, logger }: ReportOptions): SignatureServices['refused'] {
  return (refusal) => {
    const { code, reason } = refusal
    const explain = explanations && `${origin()}/oauth/explanations/${explanations.keep(refusal)}`
    logger.info({ code, why: reason, explain }, 'OAuth signature rejected')
    return explain
  }
}
