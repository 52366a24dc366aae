import { boundedVideo, boxesBetween } from './boxes.ts'
import type { InspectedFile } from './inspected.ts'

/** The first frame and what stands before it have far less. */
const HEAD_BYTES = 8 * 1024 * 1024
/** Of the headers behind the head: those of hours have a few. */
const MAX_HEADER_BYTES = 32 * 1024 * 1024

/** Part of a file: from `start` to before `end`. */
export interface Part {
  start: number
  end: number
}

/** What a decoder of the first frame of a video reads: the head of the file, and its header where it is behind that. */
export async function movieHead(file: InspectedFile): Promise<Part[]> {
  const parts = [{ start: 0, end: Math.min(file.size, HEAD_BYTES) }]
  for await (const { type, start, end } of boxesBetween(boundedVideo(file), 0, file.size)) {
    if (type === 'moof') break
    // The header of a box has 16 bytes at most.
    if (type === 'moov' && end > HEAD_BYTES && end - start <= MAX_HEADER_BYTES) parts.push({ start: start - 16, end })
  }
  return parts
}
