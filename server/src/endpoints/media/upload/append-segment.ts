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
