import type { Logger } from 'pino'
import type { Clock, Timer } from '../../../lib/clock.ts'
import { momentOf, sequenceOf } from '../../../lib/ids.ts'
import { HOUR_MS, MINUTE_MS } from '../../../lib/time.ts'
import { type MediaFiles, SEGMENTS } from '../../../storage/media-files.ts'
import { logUnlessUnavailable } from '../../../storage/unavailable.ts'
import type { Uploads } from '../../../storage/uploads.ts'

/** A request that brings a segment takes half of it at most. */
const ABANDONED_MS = HOUR_MS
const EVERY_MS = HOUR_MS
/** What is to be swept is old anyway, and a start is quicker without what the store loads with its first call. */
const FIRST_AFTER_MS = 5 * MINUTE_MS

/** How many files one question to the database is about. */
const SLICE = 500

export interface SweepOptions {
  uploads: Uploads
  mediaFiles: MediaFiles
  clock: Clock
  logger: Logger
}

const createdAtMs = (key: string) => momentOf(sequenceOf(key.slice(SEGMENTS.length)) ?? 0)

/** Removes the files of requests that this process or another one died in: no upload has them. */
export async function sweepSegments({ uploads, mediaFiles, clock }: Omit<SweepOptions, 'logger'>): Promise<void> {
  await mediaFiles.sweep()
  const old = (await mediaFiles.list(SEGMENTS)).filter((key) => createdAtMs(key) < clock.now() - ABANDONED_MS)
  for (let at = 0; at < old.length; at += SLICE) {
    const keys = old.slice(at, at + SLICE)
    const known = await uploads.known(keys)
    await mediaFiles.remove(keys.filter((key) => !known.has(key)))
  }
}

/** Sweeps soon after the start, and every hour. */
export function createSegmentSweeper(options: SweepOptions) {
  const { clock, logger } = options
  let timer: Timer | undefined
  let isStopped = false
  let sweeping: Promise<void> = Promise.resolve()
  const sweep = () => {
    sweeping = sweepSegments(options)
      .catch((error) => logUnlessUnavailable(logger, error, 'could not remove abandoned segments'))
      .then(() => {
        if (!isStopped) timer = clock.after(EVERY_MS, sweep)
      })
  }
  return {
    start() {
      timer = clock.after(FIRST_AFTER_MS, sweep)
    },
    async stop() {
      isStopped = true
      timer?.cancel()
      await sweeping
    },
  }
}
