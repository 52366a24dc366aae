import { type BoundedFile, boundedFile } from './bounded-file.ts'
import { type Inspected, type InspectedFile, UnusableMedia } from './inspected.ts'
import { assertDrawable, assertGifSize, MAX_GIF_BYTES } from './limits.ts'

const WINDOW_BYTES = 64 * 1024
const MAX_FRAMES = 10_000
/** Frames with what describes them: a frame has one extension as a rule. Blocks can be of three bytes, and each is looked at. */
const MAX_BLOCKS = 4 * MAX_FRAMES

const HEADER_BYTES = 13
const EXTENSION = 0x21
const GRAPHIC_CONTROL = 0xf9
const IMAGE = 0x2c
const TRAILER = 0x3b
/** Viewers show a frame that says less so long. */
const SHORTEST_DELAY_MS = 20
const USUAL_DELAY_MS = 100

/** Bytes of the color table that such flags announce. */
const colorTableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

/** What is behind a chain of sub-blocks, each of which begins with its length; one of length 0 is the last. */
async function afterSubBlocks(file: BoundedFile, start: number): Promise<number> {
  let at = start
  for (;;) {
    const bytes = await file.bytesFrom(at)
    let next = 0
    // Without awaiting each: a GIF of millions of sub-blocks would keep the process busy.
    while (next < bytes.length) {
      const length = bytes[next]!
      next += 1 + length
      if (length === 0) return at + next
    }
    at += next
  }
}

async function delayMsAt(file: BoundedFile, at: number): Promise<number> {
  const delayMs = (await file.bytes(at + 4, 2)).readUInt16LE() * 10
  return delayMs < SHORTEST_DELAY_MS ? USUAL_DELAY_MS : delayMs
}

interface GifFrames {
  frames: number
  durationMs: number
  /** Behind the first frame: up to here the file is a GIF of one frame without its trailer. */
  firstFrameEnd: number
}

/** Counts the frames of a GIF. It may lack its trailer, as many do. */
async function readFrames(file: BoundedFile): Promise<GifFrames> {
  const [flags] = await file.bytes(10, 1)
  const found: GifFrames = { frames: 0, durationMs: 0, firstFrameEnd: 0 }
  let at = HEADER_BYTES + colorTableBytes(flags!)
  let delayMs = USUAL_DELAY_MS
  for (let blocks = 1; at < file.size; blocks += 1) {
    if (blocks > MAX_BLOCKS) throw new UnusableMedia(`The GIF has more than ${MAX_BLOCKS} blocks. Export it again.`)
    const [block] = await file.bytes(at, 1)
    if (block === EXTENSION) {
      if ((await file.bytes(at + 1, 1))[0] === GRAPHIC_CONTROL) delayMs = await delayMsAt(file, at)
      at = await afterSubBlocks(file, at + 2)
    } else if (block === IMAGE) {
      const [imageFlags] = await file.bytes(at + 9, 1)
      at = await afterSubBlocks(file, at + 11 + colorTableBytes(imageFlags!))
      found.frames += 1
      found.durationMs += delayMs
      found.firstFrameEnd ||= at
      if (found.frames > MAX_FRAMES) throw new UnusableMedia(`The GIF has more than ${MAX_FRAMES} frames.`)
    } else if (block === TRAILER) return found
    else throw new UnusableMedia('The GIF is damaged: between its frames stands something else.')
  }
  return found
}

const boundedGif = (file: InspectedFile): BoundedFile =>
  boundedFile(file, { name: 'GIF', windowBytes: WINDOW_BYTES, maxBytes: 2 * MAX_GIF_BYTES })

/** Size, frames and duration of a GIF. All of its blocks are looked at, so one that is too large is refused before. */
export async function inspectGif(file: InspectedFile): Promise<Inspected> {
  assertGifSize(file.size)
  const gif = boundedGif(file)
  const head = await gif.bytes(0, HEADER_BYTES)
  const size = { width: head.readUInt16LE(6), height: head.readUInt16LE(8) }
  assertDrawable('GIF', size)
  const { frames, durationMs } = await readFrames(gif)
  if (frames === 0) throw new UnusableMedia('The GIF has no frames.')
  const isAnimated = frames > 1
  return { kind: 'gif', mime: 'image/gif', ...size, isAnimated, ...(isAnimated && { durationMs }) }
}

const MAX_BYTES = 5 * 1024 * 1024

/** The first frame of a GIF as a GIF of its own: its bytes up to there, and the trailer. Undefined if it is too large for a picture. */
export async function gifFirstFrame(file: InspectedFile): Promise<Buffer | undefined> {
  const gif = boundedGif(file)
  const { firstFrameEnd } = await readFrames(gif)
  if (firstFrameEnd > MAX_BYTES) return undefined
  const frame = Buffer.from(await file.read(0, firstFrameEnd))
  return Buffer.concat([frame, Buffer.from([TRAILER])])
}
