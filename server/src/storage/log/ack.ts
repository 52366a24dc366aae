import type { Attempt, Delivery, DeliveryKey } from '../event-log.ts'

/** No retry plan makes as many attempts. A larger count in a damaged row is cut to this instead of failing. */
export const MAX_ATTEMPTS = 1_000_000

/** Why a delivery that cannot be read from the log is acknowledged as not sent. */
export const UNREADABLE = 'the event cannot be read from the log'

/** One attempt to be recorded. It ends a delivery or sets its retry; an attempt of a replay (`origin` is the job's id) changes no delivery. */
export interface Ack {
  sequence: number
  webhookId: string
  origin: string
  /** The number of the attempt, from 1 to `MAX_ATTEMPTS`. 0 for a replay: the writer counts its attempts. */
  n: number
  attempt: Attempt
  retryAtMs: number | null
}

/** The columns take whole milliseconds. An acknowledgement that cannot be written would block every later one. */
const inWholeMs = (attempt: Attempt): Attempt => ({ ...attempt, atMs: Math.floor(attempt.atMs) })

export const ackOf = ({ sequence, webhookId, attempts }: Delivery, attempt: Attempt, retryAtMs: number | null): Ack => ({
  sequence,
  webhookId,
  origin: '',
  n: Math.min(attempts + 1, MAX_ATTEMPTS),
  attempt: inWholeMs(attempt),
  retryAtMs: retryAtMs === null ? null : Math.ceil(retryAtMs),
})

export const replayAckOf = ({ sequence, webhookId }: DeliveryKey, replayJobId: string, attempt: Attempt): Ack => ({
  sequence,
  webhookId,
  origin: replayJobId,
  n: 0,
  attempt: inWholeMs(attempt),
  retryAtMs: null,
})
