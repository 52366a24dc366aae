import type { Clock, Timer } from '../lib/clock.ts'
import { BUCKET_MS, type LastHour } from './last-hour.ts'

/** Samples at the end of each bucket, until the function that it returns is called. */
export function followHour({ sample }: Pick<LastHour, 'sample'>, clock: Clock): () => void {
  let timer: Timer
  const later = () => {
    timer = clock.after(BUCKET_MS - (clock.now() % BUCKET_MS), tick, { isUpkeep: true })
  }
  const tick = () => {
    sample()
    later()
  }
  later()
  return () => timer.cancel()
}
