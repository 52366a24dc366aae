import { MINUTE_MS } from '../../lib/time.ts'
import { logUnlessUnavailable } from '../../storage/unavailable.ts'
import type { HubOptions } from './hub-options.ts'

/** The use of a stream is noted so often. */
const NOTED_EVERY_MS = 60 * MINUTE_MS

/** Notes hourly which apps use their streams. */
export function createUseNotes({ connections, clock, logger }: Pick<HubOptions, 'connections' | 'clock' | 'logger'>) {
  let notedMs = clock.elapsed()
  return (appIds: readonly string[]) => {
    if (clock.elapsed() - notedMs < NOTED_EVERY_MS || appIds.length === 0) return
    notedMs = clock.elapsed()
    connections.noteUse(appIds, clock.now()).catch((error) => logUnlessUnavailable(logger, error, 'could not note the use of streams'))
  }
}
