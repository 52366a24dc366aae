import type { Logger } from 'pino'
import type { Explanations } from './explain/explanations.ts'
import type { SignatureServices } from './verify.ts'

export interface ReportOptions {
  /** Undefined: a refusal is not explained. */
  explanations: Explanations | undefined
  /** The origin of the pages that explain. */
  origin: () => string
  logger: Logger
}

/** Logs each refused signature, and answers where it is explained. */
export function reportRefusals({ explanations, origin, logger }: ReportOptions): SignatureServices['refused'] {
  return (refusal) => {
    const { code, why } = refusal
    const explain = explanations && `${origin()}/oauth/explanations/${explanations.keep(refusal)}`
    logger.info({ code, why, explain }, 'OAuth signature rejected')
    return explain
  }
}
