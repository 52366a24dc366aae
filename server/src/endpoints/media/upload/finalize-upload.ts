import { Readable } from 'node:stream'
import { type Inspected, UnusableMedia } from '../../../lib/media-inspection/inspected.ts'
import { originalOf, posterOf } from '../../../storage/media-files.ts'
import type { Segment, Upload } from '../../../storage/uploads.ts'
import { checkMedia } from './check-media.ts'
import { changedMeanwhile, mediaProblem, noSuchUpload } from './media-problem.ts'
import { mediaRow, uploadedKind } from './media-row.ts'
import { fileOfSegments } from './read-segments.ts'
import { mediaTypes, uploadKind } from './upload-kinds.ts'
import type { UploadServices } from './upload-services.ts'

/** The upload of a user; throws 404. */
export async function ownUpload(
  userId: string,
  uploadId: string,
  { uploads, now }: Pick<UploadServices, 'uploads' | 'now'>,
): Promise<Upload> {
  const upload = await uploads.find(userId, uploadId, now())
  if (!upload) throw noSuchUpload(uploadId)
  return upload
}

function assertComplete({ totalBytes }: Upload, segments: readonly Segment[]) {
  const gap = segments.findIndex(({ index }, place) => index !== place)
  if (gap >= 0) throw mediaProblem(`segment ${gap} has not come`, 'segment_index')
  const size = segments.reduce((sum, segment) => sum + segment.size, 0)
  if (size !== totalBytes) throw mediaProblem(`the segments have ${size} bytes together, and total_bytes of the upload is ${totalBytes}`)
}

/** Videos and GIFs are processed afterwards, as clients expect; what is wrong with them is said then. */
function isProcessed({ category, mediaType }: Upload): boolean {
  const { holds } = uploadKind(category)
  return !holds.image || (mediaType !== null && mediaTypes[mediaType] !== 'image')
}

/** What an upload holds. Throws `UnusableMedia` for what it may not hold. */
export async function inspectUpload(
  upload: Upload,
  segments: readonly Segment[],
  { mediaFiles, inspectMedia }: Pick<UploadServices, 'mediaFiles' | 'inspectMedia'>,
) {
  const inspected = await inspectMedia(fileOfSegments(mediaFiles, segments))
  return { inspected, kind: checkMedia(inspected, upload.totalBytes, upload) }
}

type MediaMaking = Pick<UploadServices, 'uploads' | 'mediaFiles' | 'mediaUrl' | 'makePoster' | 'now'>

/** Writes the poster of a video or GIF, if there can be one; answers its URL. */
async function addPoster(
  { mediaKey }: Upload,
  segments: readonly Segment[],
  inspected: Inspected,
  { mediaFiles, mediaUrl, makePoster }: MediaMaking,
): Promise<string | null> {
  const poster = await makePoster(fileOfSegments(mediaFiles, segments), inspected)
  if (!poster) return null
  await mediaFiles.write(posterOf(mediaKey), Readable.from([poster.bytes]), { maxBytes: poster.bytes.length })
  return mediaUrl(mediaKey, poster.type)
}

/** Joins the segments of an upload and makes its media. False if the upload has changed meanwhile. */
export async function makeMedia(
  upload: Upload,
  segments: readonly Segment[],
  { inspected, kind }: { inspected: Inspected; kind: ReturnType<typeof checkMedia> },
  services: MediaMaking,
): Promise<boolean> {
  const { uploads, mediaFiles, mediaUrl, now } = services
  await mediaFiles.join(
    originalOf(upload.mediaKey),
    segments.map(({ key }) => key),
  )
  const posterUrl = kind === 'image' ? null : await addPoster(upload, segments, inspected, services)
  const row = mediaRow(upload, inspected, kind, { url: mediaUrl(upload.mediaKey, inspected.mime), posterUrl })
  return uploads.succeed(upload, uploadedKind(inspected, kind), row, now())
}

/** Finalizes an open upload: an image is media at once, anything else is processed in the background. */
async function finish(upload: Upload, services: UploadServices): Promise<boolean> {
  const { uploads, now } = services
  const segments = await uploads.segments(upload.id)
  assertComplete(upload, segments)
  if (isProcessed(upload)) return uploads.submit(upload, now())
  try {
    const found = await inspectUpload(upload, segments, services)
    return found.kind === 'image' ? await makeMedia(upload, segments, found, services) : await uploads.submit(upload, now())
  } catch (error) {
    if (!(error instanceof UnusableMedia)) throw error
    await uploads.fail(upload, error.message, now())
    throw mediaProblem(error.message)
  }
}

/** Ends an upload; answers it as it is then. An upload that is finalized already is answered as it is. */
export async function finalizeUpload(userId: string, uploadId: string, services: UploadServices): Promise<Upload> {
  const upload = await ownUpload(userId, uploadId, services)
  if (upload.state === 'failed') throw mediaProblem(upload.error ?? 'cannot be used')
  const isFinished = upload.state !== 'open' || (await finish(upload, services))
  const finished = await ownUpload(userId, uploadId, services)
  if (!isFinished && finished.state === 'open') throw changedMeanwhile()
  return finished
}
