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

/** Makes a poster where a decoder is at hand, else undefined: nothing depends on it. */
export type MakePoster = (file: InspectedFile, inspected: Inspected) => Promise<Poster | undefined>

async function firstFrame(file: InspectedFile, { kind }: Inspected, ffmpeg: string | undefined, clock: Clock): Promise<Buffer | undefined> {
  if (kind === 'gif') return (await import('../../../lib/media-inspection/inspect-gif.ts')).gifFirstFrame(file)
  if (kind === 'video' && ffmpeg !== undefined) return (await import('./ffmpeg-frame.ts')).ffmpegFrame(ffmpeg, file, clock)
  return undefined
}

/** `ffmpeg`: the program that decodes videos; without one only GIFs have posters. */
export function createMakePoster(ffmpeg: string | undefined, clock: Clock, logger: Logger): MakePoster {
  let loggedAtMs = Number.NEGATIVE_INFINITY
  /** Once a minute at most: a decoder that fails for one video may fail for all. */
  const report = (error: unknown) => {
    if (clock.monotonic() - loggedAtMs < MINUTE_MS) return
    loggedAtMs = clock.monotonic()
    logger.warn({ reason: (error as Error).message }, 'could not make the poster of a video')
  }
  return async (file, inspected) => {
    try {
      const bytes = await firstFrame(file, inspected, ffmpeg, clock)
      if (!bytes) return undefined
      const { kind, mime } = await inspectMedia({ size: bytes.length, read: async (start, end) => bytes.subarray(start, end) })
      if (kind === 'video') throw new Error('the decoder made a video')
      return { bytes, type: mime as MediaType }
    } catch (error) {
      report(error)
      return undefined
    }
  }
}
