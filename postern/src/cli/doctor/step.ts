/** How a step of the doctor ended: `mend` must be mended, `advice` should be thought about. */
export type Outcome = 'ok' | 'advice' | 'mend'

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
