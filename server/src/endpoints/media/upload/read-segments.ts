import type { InspectedFile } from '../../../lib/media-inspection/inspected.ts'
import { type MediaFiles, MissingPart } from '../../../storage/media-files.ts'
import type { Segment } from '../../../storage/uploads.ts'

async function readPart(files: MediaFiles, { key, size }: Segment, from: number, to: number): Promise<Uint8Array[]> {
  const [start, end] = [Math.max(0, from), Math.min(size, to) - 1]
  if (start > end) return []
  const file = await files.read(key, { start, end })
  if (!file) throw new MissingPart()
  return file.stream.toArray()
}

/** The segments of an upload as one file, which is not joined yet. */
export function fileOfSegments(files: MediaFiles, segments: readonly Segment[]): InspectedFile {
  return {
    size: segments.reduce((sum, { size }) => sum + size, 0),
    async read(start, end) {
      const pieces: Uint8Array[] = []
      let at = 0
      for (const segment of segments) {
        pieces.push(...(await readPart(files, segment, start - at, end - at)))
        at += segment.size
      }
      return Buffer.concat(pieces)
    },
  }
}
