import type { DestinationStream } from 'pino'
import type { Clock } from '../lib/clock.ts'

/** Where log lines go. */
export interface LogDestination extends DestinationStream {
  /** Writes the buffered lines. Calls `done` once they are written, the reader is gone, or a second has passed. */
  flush(done?: () => void): void
}

/** How long lines are buffered, so that a busy process writes many at once. An idle one has no timer. */
export const BUFFERED_MS = 10

/** The line that says how many others were dropped, and why. */
export const droppedLine = (lines: number, why: string, clock: Clock): string =>
  `${JSON.stringify({ level: 40, time: new Date(clock.now()).toISOString(), lines, msg: `dropped log lines: ${why}` })}\n`
