import type { Logger } from 'pino'
import type { Clock } from '../../../lib/clock.ts'
import { inspectMedia } from '../../../lib/media-inspection/inspect-media.ts'
import type { Inspected, InspectedFile } from '../../../lib/media-inspection/inspected.ts'
import { MINUTE_MS } from '../../../lib/time.ts'
import type { MediaType } from '../media-urls.ts'

/** A picture of a video or GIF, before it is played. */
export interface Poster {
  bytes: Buffer
  type: MediaType
}

/** Makes a poster where a decoder is at hand, else undefined: nothing depends on it. Rejects once it is given up. */
export type MakePoster = (file: InspectedFile, inspected: Inspected) => Promise<Poster | undefined>

interface PosterOptions {
  /** The program that decodes videos; without one only GIFs have posters. */
  ffmpeg: string | undefined
  clock: Clock
  logger: Logger
  /** Ends the decoder: what is under way rejects with its reason. */
  signal?: AbortSignal
}

async function firstFrame(file: InspectedFile, { kind }: Inspected, { ffmpeg, clock, signal }: PosterOptions): Promise<Buffer | undefined> {
  if (kind === 'gif') return (await import('../../../lib/media-inspection/inspect-gif.ts')).gifFirstFrame(file)
  if (kind === 'video' && ffmpeg !== undefined) return (await import('./ffmpeg-frame.ts')).ffmpegFrame(ffmpeg, file, clock, signal)
  return undefined
}

export function createMakePoster(options: PosterOptions): MakePoster {
  const { clock, logger, signal } = options
  let loggedAtMs = Number.NEGATIVE_INFINITY
  /** Once a minute at most: a decoder that fails for one video may fail for all. */
  const report = (error: unknown) => {
    if (clock.monotonic() - loggedAtMs < MINUTE_MS) return
    loggedAtMs = clock.monotonic()
    logger.warn({ reason: (error as Error).message }, 'could not make the poster of a video')
  }
  return async (file, inspected) => {
    try {
      const bytes = await firstFrame(file, inspected, options)
      if (!bytes) return undefined
      const { kind, mime } = await inspectMedia({ size: bytes.length, read: async (start, end) => bytes.subarray(start, end) })
      if (kind === 'video') throw new Error('the decoder made a video')
      return { bytes, type: mime as MediaType }
    } catch (error) {
      // Without a poster now, the media would never have one.
      signal?.throwIfAborted()
      report(error)
      return undefined
    }
  }
}
