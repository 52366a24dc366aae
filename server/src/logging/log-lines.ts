import type { DestinationStream } from 'pino'
import type { Clock } from '../lib/clock.ts'

/** Where log lines go. */
export interface LogDestination extends DestinationStream {
  /** Writes the buffered lines, and calls `done` once they are written, nobody reads them any more, or it has waited for a second. */
  flush(done?: () => void): void
}

/** Lines are buffered for so long, so that a busy process writes many at once; an idle one has no timer. */
export const BUFFERED_MS = 10

/** The line that says how many others were dropped, and why. */
export const droppedLine = (lines: number, why: string, clock: Clock): string =>
  `${JSON.stringify({ level: 40, time: new Date(clock.now()).toISOString(), lines, msg: `dropped log lines: ${why}` })}\n`
