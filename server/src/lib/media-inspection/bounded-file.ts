import { type InspectedFile, UnusableMedia } from './inspected.ts'

/** A file of which only so much is read. */
export interface BoundedFile {
  size: number
  /** These bytes, which must all be there. Throws `UnusableMedia` if the file is cut off before, or too much of it has been read. */
  bytes(start: number, length: number): Promise<Buffer>
  /** What is at hand of the bytes from here on: one at least. */
  bytesFrom(start: number): Promise<Buffer>
}

interface Bounds {
  /** What the file is, for messages: `PNG`. */
  name: string
  /** At least so much is read at once, because the next bytes are often asked for next. */
  windowBytes: number
  /** So much is read in all. Each read counts as a window at least, so that this bounds their number too: in S3 each is a request. */
  maxBytes: number
}

/** How often bytes are asked for, also of those at hand: files of small parts alone would keep the process busy. */
const MAX_LOOKS = 250_000

export const cutOff = (name: string) => new UnusableMedia(`The ${name} is cut off: upload the whole file.`)

/** Keeps one window of the file in memory. */
export function boundedFile(file: InspectedFile, { name, windowBytes, maxBytes }: Bounds): BoundedFile {
  let window: Buffer = Buffer.alloc(0)
  let windowStart = 0
  let left = maxBytes
  let looks = 0
  const tooMany = () => new UnusableMedia(`The ${name} has too many parts to be read. Export it again.`)

  async function load(start: number, length: number) {
    const end = Math.min(file.size, start + Math.max(length, windowBytes))
    left -= Math.max(length, windowBytes)
    if (left < 0) throw tooMany()
    const read = await file.read(start, end)
    window = Buffer.from(read.buffer, read.byteOffset, read.byteLength)
    windowStart = start
  }

  async function bytesFrom(start: number, length: number): Promise<Buffer> {
    if (start + length > file.size) throw cutOff(name)
    looks += 1
    if (looks > MAX_LOOKS) throw tooMany()
    const isInWindow = start >= windowStart && start + length <= windowStart + window.length
    if (!isInWindow) await load(start, length)
    const found = window.subarray(start - windowStart)
    if (found.length < length) throw cutOff(name)
    return found
  }

  return {
    size: file.size,
    bytes: async (start, length) => (await bytesFrom(start, length)).subarray(0, length),
    bytesFrom: (start) => bytesFrom(start, 1),
  }
}
