import { createHash } from 'node:crypto'
import { box, mediaFixture } from './media-fixtures.ts'

const MB = 1024 * 1024

/** A video of about so many bytes: what players pass over stands behind it. */
export const paddedVideo = (bytes: number): Buffer =>
  Buffer.concat([mediaFixture('wide.mp4'), box('free', Buffer.alloc(bytes, 'padding of a video '))])

/** The same, as pieces that are made when they are asked for, and its size. */
export function largeVideo(megabytes: number): { size: number; pieces(): Generator<Buffer> } {
  const video = mediaFixture('wide.mp4')
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + megabytes * MB)
  head.write('free', 4, 'latin1')
  const piece = Buffer.alloc(MB, 'padding of a video ')
  return {
    size: video.length + head.length + megabytes * MB,
    *pieces() {
      yield Buffer.concat([video, head])
      for (let count = 0; count < megabytes; count += 1) yield piece
    },
  }
}

export const digestOf = (bytes: Iterable<Uint8Array>): string => {
  const hash = createHash('sha256')
  for (const piece of bytes) hash.update(piece)
  return hash.digest('hex')
}
