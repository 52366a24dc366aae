import { type DestinationStream, pino } from 'pino'
import type { Clock } from './lib/clock.ts'

/** Lines wait this long for others, so that a busy process writes many at once; an idle one has no timer. */
const GATHERING_MS = 10
const MOST_GATHERED_BYTES = 8 * 1024

/** Standard output, in large writes. What was gathered is written also when the process exits. */
export function createLogDestination(clock: Clock): DestinationStream {
  const destination = pino.destination({ sync: false, minLength: MOST_GATHERED_BYTES })
  let isDue = false
  const flush = () => {
    isDue = false
    destination.flush()
  }
  return {
    write(line) {
      destination.write(line)
      if (isDue) return
      isDue = true
      clock.after(GATHERING_MS, flush)
    },
  }
}
