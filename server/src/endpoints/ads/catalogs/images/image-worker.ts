import type { BodyReceiver } from '../../../../delivery/send/read-answer.ts'
import type { ImageHeader } from '../../../../lib/media-inspection/inspect-image.ts'
import { MINUTE_MS, SECOND_MS } from '../../../../lib/time.ts'
import type { ImageChecks } from '../../../../storage/catalogs.ts'
import { createDueWorker, type DueWorkerOptions } from '../../../work/due-worker.ts'
import { type FetchOptions, failureOf, isCutOff } from '../work/fetch-options.ts'

const TIMEOUT_MS = 10 * SECOND_MS
const MIN_SIDE = 500
const MAX_BYTES = 5 * 1024 * 1024
/** How much of a file is kept to find its size in. A JPG may have a profile and a preview before it. */
const MAX_HEADER_BYTES = 512 * 1024
/** The header is read again whenever this many times as much has arrived. */
const GROWTH = 4
/** Chunks of a body have sizes of their own on the wire. */
const MAX_WIRE_BYTES = 2 * MAX_BYTES

const TOO_LARGE = 'the image must be at most 5 MB'
const NO_IMAGE = 'the image must be a JPG, GIF, WEBP or PNG'

/** The first bytes of a body. The buffer doubles, because pieces may have one byte each. */
function createGrowingBuffer(maxLength: number) {
  let buffer = Buffer.alloc(0)
  let length = 0
  return {
    get length() {
      return length
    },
    bytes: () => buffer.subarray(0, length),
    append(piece: Buffer) {
      const needed = Math.min(length + piece.length, maxLength)
      if (needed > buffer.length) {
        const larger = Buffer.alloc(Math.min(Math.max(needed, 2 * buffer.length), maxLength))
        buffer.copy(larger, 0, 0, length)
        buffer = larger
      }
      piece.copy(buffer, length, 0, needed - length)
      length = needed
    },
  }
}

/** Reads as little of an image as tells its format, its size in pixels and its length. */
function createImageReader(readImageHeader: (bytes: Uint8Array) => ImageHeader) {
  let bytes = 0
  let told: number | undefined
  const kept = createGrowingBuffer(MAX_HEADER_BYTES)
  let header: ImageHeader = 'more'
  let readAt = 0

  const readHeader = () => {
    header = readImageHeader(kept.bytes())
    readAt = kept.length * GROWTH
  }

  const keep = (piece: Buffer) => {
    if (header !== 'more' || kept.length >= MAX_HEADER_BYTES) return
    kept.append(piece)
    if (kept.length >= readAt || kept.length === MAX_HEADER_BYTES) readHeader()
  }

  /** Whether the rest of the body tells nothing more. A body whose length is not told is counted to its end. */
  const isKnown = () => header === 'no image' || Math.max(bytes, told ?? 0) > MAX_BYTES || (header !== 'more' && told !== undefined)

  const receiver: BodyReceiver = {
    maxBytes: MAX_WIRE_BYTES,
    head(status, length) {
      told = length
      return status === 200 && !isKnown()
    },
    piece(piece) {
      bytes += piece.length
      keep(piece)
      return !isKnown()
    },
  }

  /** What is wrong with the image, once nothing more of it comes. */
  const problem = (): string | null => {
    if (Math.max(bytes, told ?? 0) > MAX_BYTES) return TOO_LARGE
    if (header === 'more') readHeader()
    if (typeof header === 'string') return NO_IMAGE
    const { width, height } = header
    return width < MIN_SIDE || height < MIN_SIDE
      ? `the image must be at least ${MIN_SIDE}x${MIN_SIDE} pixels, not ${width}x${height}`
      : null
  }

  return { receiver, problem }
}

/** What is wrong with the image at a URL (§2.5), or null. Undefined if this process ended meanwhile. */
async function lookAtImage(url: string, options: FetchOptions): Promise<string | null | undefined> {
  // Loaded with the first image: nobody waits for it.
  const { readImageHeader } = await import('../../../../lib/media-inspection/inspect-image.ts')
  const { receiver, problem } = createImageReader(readImageHeader)
  const headers = ['accept', 'image/jpeg, image/gif, image/webp, image/png', 'accept-encoding', 'identity', 'user-agent', 'Postern']
  const outcome = await options.sender.send({ method: 'GET', to: url, headers, timeoutMs: TIMEOUT_MS, receiver })
  if (isCutOff(outcome)) return undefined
  const failure = failureOf(outcome, options)
  return failure === undefined ? problem() : `the image could not be fetched: ${failure}`
}

const AT_ONCE = 8

/** Looks at the images that products link to, in the background. */
export const createImageWorker = (
  options: FetchOptions & { imageChecks: ImageChecks } & Pick<DueWorkerOptions, 'changes' | 'clock' | 'logger' | 'activity'>,
) => {
  const { imageChecks, changes, clock, logger, activity } = options
  return createDueWorker({
    queue: 'image_checks',
    work: imageChecks,
    changes,
    clock,
    logger,
    activity,
    claimMs: MINUTE_MS,
    atOnce: AT_ONCE,
    async run(claim) {
      const url = await imageChecks.urlOf(claim)
      const problem = url === undefined ? undefined : await lookAtImage(url, options)
      if (problem !== undefined) await imageChecks.checked(claim, problem, clock.now())
    },
  })
}
