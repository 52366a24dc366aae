import type { Attempt, Delivery } from '../event-log.ts'

/** More than any plan makes: a count beyond it is nonsense, and no reason to fail. */
export const MOST_ATTEMPTS = 1_000_000

/** Why a delivery that cannot be read from the log is acknowledged as not sent. */
export const UNREADABLE = 'the event cannot be read from the log'

/** One attempt. That of a delivery ends its life or moves it on; that of a replay (`origin` is its job) changes nothing. */
export interface Ack {
  sequence: number
  webhookId: string
  origin: string
  /** Counts from 1. Found out when it is written for that of a replay. At most `MOST_ATTEMPTS`, whatever stands in a row. */
  n: number
  attempt: Attempt
  retryAtMs: number | null
}

/** Moments are kept in whole milliseconds: an acknowledgement that cannot be written would stop all that come after it. */
const whole = (attempt: Attempt): Attempt => ({ ...attempt, atMs: Math.floor(attempt.atMs) })

export const ackOf = ({ sequence, webhookId, attempts }: Delivery, attempt: Attempt, retryAtMs: number | null): Ack => ({
  sequence,
  webhookId,
  origin: '',
  n: Math.min(attempts + 1, MOST_ATTEMPTS),
  attempt: whole(attempt),
  retryAtMs: retryAtMs === null ? null : Math.ceil(retryAtMs),
})

export const replayAckOf = (sequence: number, webhookId: string, replayJobId: string, attempt: Attempt): Ack => ({
  sequence,
  webhookId,
  origin: replayJobId,
  n: 0,
  attempt: whole(attempt),
  retryAtMs: null,
})
