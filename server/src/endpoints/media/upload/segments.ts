import type { InspectedFile } from '../../../lib/media-inspection/inspected.ts'
import { type MediaFiles, MissingPart } from '../../../storage/media-files.ts'
import type { Segment } from '../../../storage/uploads.ts'
import { mediaProblem, noSuchUpload } from './media-problem.ts'
import type { ReceivedFile } from './received-file.ts'
import type { UploadServices } from './upload-services.ts'

const refusals = {
  unknown: noSuchUpload,
  finalized: () => mediaProblem('the upload is finalized, so it takes no more segments', 'media_id'),
  'too-many-bytes': () => mediaProblem('the segments have more bytes than total_bytes of the upload says'),
}

/**
 * Adds a file to an upload as a segment; answers when the upload expires. Throws 400 or 404 where that takes none. Where it is not known
 * whether the upload has the file, the file stays: what nobody has is swept.
 */
export async function appendSegment(
  { userId, uploadId, index }: { userId: string; uploadId: string; index: number },
  file: ReceivedFile,
  { uploads, mediaFiles, now }: Pick<UploadServices, 'uploads' | 'mediaFiles' | 'now'>,
): Promise<number> {
  file.mayBeTaken = true
  const added = await uploads.addSegment(userId, uploadId, { index, key: file.key, size: file.size }, now())
  if (added.result !== 'added') {
    file.mayBeTaken = false
    throw refusals[added.result](uploadId)
  }
  if (added.replaced !== undefined) await mediaFiles.remove([added.replaced]).catch(() => {})
  return added.expiresAtMs
}

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
