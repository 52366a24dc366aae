import { boundedGif, readFrames } from './inspect-gif.ts'
import type { InspectedFile } from './inspected.ts'

const MAX_BYTES = 5 * 1024 * 1024
const TRAILER = 0x3b

/** The first frame of a GIF as a GIF of its own: its bytes up to there, and the trailer. Undefined if it is too large for a picture. */
export async function gifFirstFrame(file: InspectedFile): Promise<Buffer | undefined> {
  const gif = boundedGif(file)
  const { firstFrameEnd } = await readFrames(gif)
  if (firstFrameEnd > MAX_BYTES) return undefined
  const frame = Buffer.from(await file.read(0, firstFrameEnd))
  return Buffer.concat([frame, Buffer.from([TRAILER])])
}
