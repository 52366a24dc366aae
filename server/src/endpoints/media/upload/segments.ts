import type { Logger } from 'pino'
import type { Clock, Timer } from '../../../lib/clock.ts'
import { momentOf, sequenceOf } from '../../../lib/ids.ts'
import type { InspectedFile } from '../../../lib/media-inspection/inspected.ts'
import { HOUR_MS, MINUTE_MS } from '../../../lib/time.ts'
import { type MediaFiles, MissingPart, SEGMENTS } from '../../../storage/media-files.ts'
import { logUnlessUnavailable } from '../../../storage/unavailable.ts'
import type { Segment, Uploads } from '../../../storage/uploads.ts'
import { mediaProblem, noSuchUpload } from './media-problem.ts'
import type { ReceivedFile } from './received-file.ts'
import type { UploadServices } from './upload-services.ts'

const refusals = {
  unknown: noSuchUpload,
  finalized: () => mediaProblem('the upload is finalized, so it takes no more segments', 'media_id'),
  'too-many-bytes': () => mediaProblem('the segments have more bytes than total_bytes of the upload says'),
}

/**
 * Adds a file to an upload as a segment; answers when the upload expires. Throws 400 or 404 where that takes none. Where it is not known
 * whether the upload has the file, the file stays: what nobody has is swept.
 */
export async function appendSegment(
  { userId, uploadId, index }: { userId: string; uploadId: string; index: number },
  file: ReceivedFile,
  { uploads, mediaFiles, now }: Pick<UploadServices, 'uploads' | 'mediaFiles' | 'now'>,
): Promise<number> {
  file.mayBeTaken = true
  const added = await uploads.addSegment(userId, uploadId, { index, key: file.key, size: file.size }, now())
  if (added.result !== 'added') {
    file.mayBeTaken = false
    throw refusals[added.result](uploadId)
  }
  if (added.replaced !== undefined) await mediaFiles.remove([added.replaced]).catch(() => {})
  return added.expiresAtMs
}

async function readPart(files: MediaFiles, { key, size }: Segment, from: number, to: number): Promise<Uint8Array[]> {
  const [start, end] = [Math.max(0, from), Math.min(size, to) - 1]
  if (start > end) return []
  const file = await files.read(key, { start, end })
  if (!file) throw new MissingPart()
  return file.stream.toArray()
}

/** The segments of an upload as one file, which is not joined yet. */
export function fileOfSegments(files: MediaFiles, segments: readonly Segment[]): InspectedFile {
  return {
    size: segments.reduce((sum, { size }) => sum + size, 0),
    async read(start, end) {
      const pieces: Uint8Array[] = []
      let at = 0
      for (const segment of segments) {
        pieces.push(...(await readPart(files, segment, start - at, end - at)))
        at += segment.size
      }
      return Buffer.concat(pieces)
    },
  }
}

/** A request that brings a segment takes half of it at most. */
const ABANDONED_MS = HOUR_MS
const EVERY_MS = HOUR_MS
/** What is to be swept is old anyway, and a start is quicker without what the store loads with its first call. */
const FIRST_AFTER_MS = 5 * MINUTE_MS

/** How many files one question to the database is about. */
const SLICE = 500

interface SweepOptions {
  uploads: Uploads
  mediaFiles: MediaFiles
  clock: Clock
  logger: Logger
}

const createdAtMs = (key: string) => momentOf(sequenceOf(key.slice(SEGMENTS.length)) ?? 0)

/** Removes the files of requests that this process or another one died in: no upload has them. */
async function sweepSegments({ uploads, mediaFiles, clock }: Omit<SweepOptions, 'logger'>): Promise<void> {
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
