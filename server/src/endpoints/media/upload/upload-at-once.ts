import { UnusableMedia } from '../../../lib/media-inspection/inspected.ts'
import type { Upload } from '../../../storage/uploads.ts'
import { createUpload, type DeclaredUpload } from './begin-upload.ts'
import { checkMedia } from './check-media.ts'
import { finalizeUpload } from './finalize-upload.ts'
import { mediaProblem } from './media-problem.ts'
import type { ReceivedFile } from './received-file.ts'
import { appendSegment, fileOfSegments } from './segments.ts'
import type { UploadServices } from './upload-services.ts'

/** Makes media of a file that came with one request. Throws 400 for a file that cannot be used. */
export async function uploadAtOnce(
  userId: string,
  declared: Omit<DeclaredUpload, 'totalBytes'>,
  file: ReceivedFile,
  services: UploadServices,
): Promise<Upload> {
  const whole = fileOfSegments(services.mediaFiles, [{ index: 0, key: file.key, size: file.size }])
  const inspected = await services.inspectMedia(whole).catch((error) => {
    throw error instanceof UnusableMedia ? mediaProblem(error.message) : error
  })
  const kind = checkKind()
  const upload = await createUpload(userId, { ...declared, totalBytes: file.size }, kind, services)
  try {
    await appendSegment({ userId, uploadId: upload.id, index: 0 }, file, services)
    return await finalizeUpload(userId, upload.id, services)
  } catch (error) {
    // Nobody knows its id. If the database is away, it expires.
    await services.uploads.abandon(upload, services.now()).catch(() => {})
    throw error
  }

  function checkKind() {
    try {
      return checkMedia(inspected, file.size, declared)
    } catch (error) {
      throw error instanceof UnusableMedia ? mediaProblem(error.message) : error
    }
  }
}
