import { type BoundedFile, boundedFile, cutOff } from './bounded-file.ts'
import { type InspectedFile, UnusableMedia } from './inspected.ts'

/** A box of an MP4 or MOV (ISO/IEC 14496-12 §4.2): its contents are the bytes from `start` to before `end`. */
export interface Box {
  type: string
  start: number
  end: number
}

/** A sequence of boxes has so many at most. */
const MAX_BOXES = 4096
const WINDOW_BYTES = 64 * 1024
/** One for each fragment, with the header of what follows it, in a video of so many as a sequence may have. */
const MAX_READS = MAX_BOXES / 2
const HEADER_BYTES = 8
const LARGE_HEADER_BYTES = 16

/** A video of which only so much is read. */
export const boundedVideo = (file: InspectedFile): BoundedFile =>
  boundedFile(file, { name: 'video', windowBytes: WINDOW_BYTES, maxBytes: MAX_READS * WINDOW_BYTES })

/** The box that begins here, within a parent that ends at `end`. */
async function boxAt(file: BoundedFile, at: number, end: number): Promise<Box> {
  const header = await file.bytes(at, HEADER_BYTES)
  const type = header.toString('latin1', 4, 8)
  const size = header.readUInt32BE()
  // A size of 0 reaches to the end.
  if (size === 0) return { type, start: at + HEADER_BYTES, end }
  if (size !== 1) return { type, start: at + HEADER_BYTES, end: at + size }
  const large = (await file.bytes(at, LARGE_HEADER_BYTES)).readBigUInt64BE(8)
  return { type, start: at + LARGE_HEADER_BYTES, end: at + Number(large) }
}

/**
 * The boxes between two places, in their order. Reads their headers only, and never looks into one by itself. A rest that is too short
 * for a header is left: a MOV may end a list of boxes with four zero bytes.
 */
export async function* boxesBetween(file: BoundedFile, start: number, end: number): AsyncGenerator<Box> {
  let at = start
  for (let count = 0; at + HEADER_BYTES <= end; count += 1) {
    if (count === MAX_BOXES) throw new UnusableMedia(`The video has more than ${MAX_BOXES} parts. Export it again.`)
    const box = await boxAt(file, at, end)
    if (box.end > end) throw cutOff('video')
    if (box.end < box.start) throw new UnusableMedia('The video is damaged: a part of it is shorter than its header.')
    yield box
    at = box.end
  }
}

/** The first box of each of these types inside a box. */
export async function childrenOf<Type extends string>(
  file: BoundedFile,
  parent: Box,
  types: readonly Type[],
): Promise<Partial<Record<Type, Box>>> {
  const found: Partial<Record<Type, Box>> = {}
  for await (const box of boxesBetween(file, parent.start, parent.end))
    if (types.includes(box.type as Type)) found[box.type as Type] ??= box
  return found
}
