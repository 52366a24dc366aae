/** The callback that is looked at, and what requests to it are made of. */
export interface Patient {
  url: URL
  /** The consumer secret. */
  secret: string
  /** Where that was found: `--secret`. */
  secretSource: string
  signatureHeader: string
  /** The body of the event that is sent. */
  event: Buffer
  /** More certificates to trust, in PEM. */
  ca: string[] | undefined
}

/** How a step of the doctor ended: `mend` must be mended, `advice` should be thought about. */
type Outcome = 'ok' | 'advice' | 'mend'

export interface Step {
  step: string
  outcome: Outcome
  ms: number
  /** What was found. */
  says: string
  /** What to do about it. */
  mend?: string
}

export type Finding = Omit<Step, 'step' | 'ms'>

export const ok = (says: string): Finding => ({ outcome: 'ok', says })
export const advice = (says: string, mend: string): Finding => ({ outcome: 'advice', says, mend })
export const mend = (says: string, how: string): Finding => ({ outcome: 'mend', says, mend: how })
