import type { Attempt } from '../storage/event-log.ts'
import { responseOf } from './send/printable.ts'
import type { Outcome } from './send/sender.ts'

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
  timing: outcome.timing,
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
