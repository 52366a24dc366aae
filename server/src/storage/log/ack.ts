import type { Attempt, Delivery } from '../event-log.ts'

/** One attempt. That of a delivery ends its life or moves it on; that of a replay (`origin` is its job) changes nothing. */
export interface Ack {
  sequence: number
  webhookId: string
  origin: string
  /** Counts from 1. Found out when it is written for that of a replay. */
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
  n: attempts + 1,
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
