import type { Chunk } from '../../api/declare/endless-answer.ts'

/** How much of the past is kept for those who come back. */
const MOST_KEPT_BYTES = 512 * 1024

/** A message, and its place in the feed. */
interface Frame {
  position: number
  chunk: Chunk
}

/** The last frames, up to a number of bytes. */
export function createPast() {
  let frames: Frame[] = []
  let bytes = 0
  return {
    add(frame: Frame) {
      frames.push(frame)
      bytes += frame.chunk.bytes.length
      while (bytes > MOST_KEPT_BYTES && frames.length > 1) bytes -= frames.shift()!.chunk.bytes.length
    },
    /** What came after a position, up to the newest; undefined if some of it is gone, or that is no position. */
    after(position: number, newest: number): Chunk[] | undefined {
      if (position === newest) return []
      const first = frames[0]?.position
      if (first === undefined || !(position < newest && position + 1 >= first)) return undefined
      return frames.filter((frame) => frame.position > position).map(({ chunk }) => chunk)
    },
    clear() {
      frames = []
      bytes = 0
    },
  }
}
