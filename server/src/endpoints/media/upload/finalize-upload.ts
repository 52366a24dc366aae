import { Readable } from 'node:stream'
import { type Inspected, UnusableMedia } from '../../../lib/media-inspection/inspected.ts'
import { MINUTE_MS, SECOND_MS } from '../../../lib/time.ts'
import { folderOfMedia, MissingPart, originalOf, posterOf } from '../../../storage/media-files.ts'
import type { MediaValues, Segment, Upload, UploadedKind } from '../../../storage/uploads.ts'
import { LIFETIME_MS } from './begin-upload.ts'
import { checkMedia, kindNames } from './check-media.ts'
import { changedMeanwhile, mediaProblem, noSuchUpload } from './media-problem.ts'
import { fileOfSegments } from './segments.ts'
import { keyOfUpload, type MediaKind, mediaTypes, uploadKind } from './upload-kinds.ts'
import type { UploadServices } from './upload-services.ts'

const types = { image: 'photo', gif: 'animated_gif', video: 'video' } as const

const BITS = 8

function variantsOf(inspected: Inspected, size: number, url: string): string | null {
  if (inspected.kind !== 'video') return null
  const bit_rate = inspected.durationMs > 0 ? Math.round((size * BITS * SECOND_MS) / inspected.durationMs) : 0
  return JSON.stringify([{ bit_rate, content_type: inspected.mime, url }])
}

/** Where its files are served. */
interface MediaUrls {
  url: string
  posterUrl: string | null
}

/** The media that an upload makes, as a row of `media`. */
function mediaRow(upload: Upload, inspected: Inspected, kind: MediaKind, { url, posterUrl }: MediaUrls): MediaValues {
  const durationMs = inspected.kind === 'image' ? undefined : inspected.durationMs
  const { additionalOwners } = upload
  return {
    media_key: upload.mediaKey,
    owner_id: upload.ownerId,
    type: types[kind],
    url,
    preview_image_url: posterUrl,
    category: uploadKind(upload.category).category,
    width: inspected.width,
    height: inspected.height,
    duration_ms: durationMs === undefined ? null : Math.round(durationMs),
    variants: variantsOf(inspected, upload.totalBytes, url),
    created_at_ms: upload.createdAtMs,
    view_count: 0,
    more: additionalOwners.length === 0 ? null : JSON.stringify({ additional_owners: additionalOwners }),
  }
}

const uploadedKind = ({ mime, width, height }: Inspected, kind: MediaKind): UploadedKind => ({ mime, kind, width, height })

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

/** How long a request makes the media of an image at most, before the upload is processed like a video. */
const TAKEN_MS = 5 * MINUTE_MS

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
  const kind = checkMedia(inspected, upload.totalBytes, upload)
  // The key was answered when the upload began, and clients read the kind of media from it.
  if (keyOfUpload(upload.id, uploadKind(upload.category), kind) !== upload.mediaKey)
    throw new UnusableMedia(`media_type is ${upload.mediaType}, and the file is ${kindNames[kind]}`)
  return { inspected, kind }
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

/**
 * Joins the segments of an upload that takes no more, and makes its media; cut off, it may be repeated. False if the upload has changed
 * meanwhile.
 */
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
  if (await uploads.succeed(upload, uploadedKind(inspected, kind), row, now())) return true
  // It may have been removed with its files before they were joined.
  if (!(await uploads.find(upload.ownerId, upload.id, now())))
    await mediaFiles.remove(await mediaFiles.list(folderOfMedia(upload.mediaKey)))
  return false
}

/** Whether the file itself is why there is no media, so that the upload fails. */
export const isUnusable = (error: unknown): error is Error => error instanceof UnusableMedia || error instanceof MissingPart

/**
 * Finalizes an upload: an image is media at once, anything else is processed in the background. True if this has begun that. Nothing is done
 * if the upload has changed meanwhile. An image that another request makes at the same time is made twice, of the same segments.
 */
async function finish(upload: Upload, services: UploadServices): Promise<boolean> {
  const { uploads, now } = services
  const segments = await uploads.segments(upload.id)
  assertComplete(upload, segments)
  const submit = () => uploads.submit(upload, { nowMs: now(), expiresAtMs: Math.max(upload.expiresAtMs, now() + LIFETIME_MS) })
  if (isProcessed(upload)) return submit()
  try {
    const found = await inspectUpload(upload, segments, services)
    if (found.kind !== 'image') return upload.state === 'open' && (await submit())
    // From here on no segment comes, so whoever joins them, and however late, makes the same file.
    if (await uploads.take(upload, now() + TAKEN_MS)) await makeMedia(upload, segments, found, services)
  } catch (error) {
    if (!isUnusable(error)) throw error
    if (await uploads.fail(upload, error.message, now())) throw mediaProblem(error.message)
  }
  return false
}

const hasChanged = (before: Upload, after: Upload) =>
  after.revision !== before.revision || (after.state !== before.state && isSettled(after))

/** Whether FINALIZE has nothing more to do. */
const isSettled = (upload: Upload) => upload.state !== 'open' && (isProcessed(upload) || upload.state !== 'in_progress')

/**
 * Ends an upload; answers it as it is then. One whose processing this has begun is answered as waiting, however quickly it was processed:
 * what is wrong with it is said afterwards. An upload that is finalized already is answered as it is.
 */
export async function finalizeUpload(userId: string, uploadId: string, services: UploadServices): Promise<Upload> {
  const upload = await ownUpload(userId, uploadId, services)
  if (upload.state === 'failed') throw mediaProblem(upload.error ?? 'cannot be used')
  if (isSettled(upload)) return upload
  let refusal: unknown
  const isSubmitted = await finish(upload, services).catch((error) => {
    refusal = error
    return false
  })
  const finished = await ownUpload(userId, uploadId, services).catch((error) => {
    throw refusal ?? error
  })
  // What was wrong with an upload that another request changed meanwhile says nothing about what it is now.
  if (refusal !== undefined && !hasChanged(upload, finished)) throw refusal
  if (isSubmitted) return { ...finished, state: 'pending' }
  if (finished.state === 'failed') throw mediaProblem(finished.error ?? 'cannot be used')
  if (finished.state === 'open') throw changedMeanwhile()
  return finished
}
