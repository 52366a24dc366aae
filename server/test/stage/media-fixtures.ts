import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { InspectedFile } from '../../src/lib/media-inspection/inspected.ts'

const folder = resolve(import.meta.dirname, '../fixtures/media')

/** A file of `server/test/fixtures/media`, whose README says what each is; a copy that may be changed. */
export const mediaFixture = (name: string): Buffer => readFileSync(resolve(folder, name))

/** Bytes as a file that is inspected, how much of it was read, and how often. */
export function fileOf(bytes: Uint8Array): InspectedFile & { bytesRead(): number; reads(): number } {
  let read = 0
  let reads = 0
  return {
    size: bytes.length,
    async read(start, end) {
      read += end - start
      reads += 1
      return bytes.subarray(start, end)
    },
    bytesRead: () => read,
    reads: () => reads,
  }
}

/** A box of an MP4. */
export function box(type: string, ...contents: Uint8Array[]): Buffer {
  const body = Buffer.concat(contents)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + body.length)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, body])
}

/** Where the contents of the first box of a type begin. */
export const contentsOf = (bytes: Buffer, type: string): number => bytes.indexOf(type, 0, 'latin1') + 4
