import type { Clock } from './clock.ts'
import { SECOND_MS } from './time.ts'

/** What the database does not answer within this is left out, so that there is an answer while the database hangs. */
const PATIENCE_MS = SECOND_MS

/** Undefined when it fails, or takes longer than a second. */
export const withTimeout = <T>(clock: Pick<Clock, 'after'>, asked: Promise<T>): Promise<T | undefined> =>
  new Promise((resolve) => {
    const timer = clock.after(PATIENCE_MS, () => resolve(undefined))
    asked.then(resolve, () => resolve(undefined)).finally(() => timer.cancel())
  })
