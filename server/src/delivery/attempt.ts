import type { Attempt } from '../storage/event-log.ts'
import { responseOf } from './send/printable.ts'
import type { Outcome } from './send/sender.ts'

/** Follows the four times of the sender, and is none. */
const RESTRICTED = 'restricted'

/** The times of an outcome, with a fifth value if it is restricted. */
function timingOf({ timing, restricted }: Outcome): string {
  if (!restricted) return timing
  const [one = '', two = '', three = '', four = ''] = timing.split(',')
  return [one, two, three, four, RESTRICTED].join()
}

/** Whether the callback was not known to be public, so that details may reveal a private network. */
export const isRestricted = ({ timing }: Pick<Attempt, 'timing'>): boolean => timing.endsWith(RESTRICTED)

/** Any 2xx acknowledges; a redirect fails and is never followed. */
export const acknowledged = (outcome: Outcome) => outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300

function errorOf(outcome: Outcome): string {
  if (outcome.kind === 'failed') return outcome.message
  if (acknowledged(outcome)) return ''
  if (outcome.status >= 300 && outcome.status < 400) return `answered ${outcome.status}, a redirect, which is never followed`
  return `answered ${outcome.status}; any 2xx acknowledges an event`
}

/** Converts an outcome to an attempt of the event log. `secrets` are those of the app, which no attempt may contain. */
export const attemptOf = (outcome: Outcome, atMs: number, secrets: readonly Buffer[]): Attempt => ({
  atMs,
  latencyMs: Math.round(outcome.latencyMs),
  timing: timingOf(outcome),
  status: outcome.kind === 'answered' ? outcome.status : null,
  outcome: acknowledged(outcome) ? 'delivered' : 'failed',
  error: errorOf(outcome),
  response: outcome.kind === 'answered' ? responseOf(outcome.body, secrets) : '',
})

export const notSent = (reason: string, atMs: number): Attempt => ({
  atMs,
  latencyMs: 0,
  timing: '',
  status: null,
  outcome: 'not_sent',
  error: reason,
  response: '',
})
