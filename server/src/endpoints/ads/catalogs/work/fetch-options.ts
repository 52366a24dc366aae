import { NOT_REACHABLE, type Outcome } from '../../../../delivery/send/outcome.ts'
import type { Sender } from '../../../../delivery/send/sender.ts'

/** What fetches of other people's files need. */
export interface FetchOptions {
  sender: Sender
  /** Tells nothing of hosts that are not known to be public (production): a fetch must not map a private network. */
  hideRestricted: boolean
}

/** Why there is nothing to read of a response; undefined for a response of 200, or one that may not be told about. */
export function failureOf(outcome: Outcome, { hideRestricted }: FetchOptions): string | undefined {
  if (hideRestricted && outcome.restricted) return NOT_REACHABLE
  if (outcome.kind === 'failed') return outcome.message
  return outcome.status === 200 ? undefined : `the server answered ${outcome.status} instead of 200`
}

/** The outcome of a fetch that the end of this process cut off: it is made again later. */
export const isCutOff = (outcome: Outcome): boolean => outcome.kind === 'failed' && outcome.stage === 'shutting_down'
