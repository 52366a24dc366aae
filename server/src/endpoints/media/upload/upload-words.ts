import { signedUserWith, userWith } from '../../../access/user-with.ts'
import { long } from '../../../api/declare/ads-words.ts'
import {
  anything,
  boolean,
  commaList,
  describedAs,
  id,
  integer,
  object,
  oneOf,
  optional,
  type Static,
  text,
} from '../../../api/declare/words.ts'
import { wholeNumber } from '../../../lib/numbers.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import type { Upload } from '../../../storage/uploads.ts'
import { mediaProblem } from './media-problem.ts'
import { mediaTypes, uploadCategories } from './upload-kinds.ts'

/** Indices of segments are 0 to 999, so a file has at most a thousand. */
const MAX_SEGMENT_INDEX = 999

const MAX_OWNERS = 100

/** A segment as base64 in a body that is read whole: of 5 MB, with what stands around it. */
export const BASE64_BODY_BYTES = 8 * 1024 * 1024

const owner = id()

export const uploadWords = {
  media_id: id({ description: 'The id of the upload.' }),
  total_bytes: integer({ min: 1, description: 'The size of the whole file.', example: 100 }),
  media_type: describedAs(text({ min: 0, example: 'image/png' }), oneOf(Object.keys(mediaTypes))),
  media_category: describedAs(text({ min: 0 }), oneOf(uploadCategories)),
  segment_index: integer({
    min: 0,
    max: MAX_SEGMENT_INDEX,
    description: 'Where the segment stands in the file, counted from 0.',
    example: 0,
  }),
  additional_owners: describedAs(
    anything<unknown>(),
    commaList(owner, { max: MAX_OWNERS, description: 'Users who may use the media too: in posts, and by its key.' }),
  ),
  shared: boolean({ description: 'Accepted, without effect.' }),
  base64: text({ min: 0, description: 'Base64 of the bytes.' }),
}

/** A number beyond 2^53 was rounded by the reader of JSON. An object is none, and is not asked for its text: its members are the client's. */
const isUserId = (one: unknown): one is string | number =>
  typeof one === 'number' ? Number.isSafeInteger(one) && one >= 0 : typeof one === 'string' && /^[0-9]{1,19}$/.test(one)

/** Users who may use the media beside the one who uploads: a list, one id, or ids between commas. Throws 400. */
export function readOwners(sent: unknown): string[] {
  const list = sent === undefined || Array.isArray(sent) ? sent : [sent]
  const owners = typeof sent === 'string' ? sent.split(',').map((one) => one.trim()) : list
  if (owners === undefined || (Array.isArray(owners) && owners.every((one) => one === ''))) return []
  const isList = Array.isArray(owners) && owners.every(isUserId)
  if (!isList || owners.length > MAX_OWNERS) throw mediaProblem(`must be at most ${MAX_OWNERS} ids of users`, 'additional_owners')
  return owners.map(String)
}

/** What the endpoints of uploads have in common. */
export const uploadEndpoint = { section: '§4.7', auth: userWith('read_write'), scopes: ['media.write'] } as const

/** The same under `/1.1/`, where OAuth 1.0a alone is taken. */
export const uploadEndpointV1 = { section: '§4.7', auth: signedUserWith('read_write') } as const

const mediaKeyWord = () => text({ example: '3_1136048014974423040' })

const processing = object({
  state: oneOf(['pending', 'in_progress', 'succeeded', 'failed']),
  check_after_secs: optional(integer({ min: 0, description: 'When to ask again, in seconds.' })),
  progress_percent: optional(integer({ min: 0, max: 100 })),
  error: optional(object({ code: integer(), name: text(), message: text() })),
})

const details = {
  size: optional(integer({ min: 0, description: 'In bytes.' })),
  expires_after_secs: integer({ min: 0, description: 'How long the upload can be used, in seconds.' }),
  image: optional(object({ image_type: text(), w: integer({ min: 0 }), h: integer({ min: 0 }) })),
  video: optional(object({ video_type: text() })),
  processing_info: optional(processing),
}

/** An upload as `/1.1/` answers it. */
export const uploadV1Schema = object({ media_id: long(), media_id_string: id(), media_key: mediaKeyWord(), ...details })

/** An upload as `/2/` answers it. */
export const uploadSchema = object({ id: id(), media_key: mediaKeyWord(), ...details })

const CHECK_AFTER_SECS = 1

/** The code and name by which clients know that media cannot be used (public practice). */
const INVALID_MEDIA = { code: 1, name: 'InvalidMedia' }

function processingOf({ state, progress, error, kind }: Upload): Static<typeof processing> | undefined {
  if (state === 'pending') return { state, check_after_secs: CHECK_AFTER_SECS }
  if (state === 'in_progress') return { state, check_after_secs: CHECK_AFTER_SECS, progress_percent: progress }
  if (state === 'failed')
    return { state, progress_percent: progress, error: { ...INVALID_MEDIA, message: error ?? 'The media cannot be used.' } }
  return state === 'succeeded' && kind?.kind !== 'image' ? { state, progress_percent: 100 } : undefined
}

function detailsOf(upload: Upload, nowMs: number) {
  const { state, totalBytes, expiresAtMs, kind } = upload
  const processing_info = processingOf(upload)
  return {
    ...(state !== 'open' && { size: totalBytes }),
    expires_after_secs: Math.max(0, Math.ceil((expiresAtMs - nowMs) / SECOND_MS)),
    ...(kind && kind.kind !== 'video' && { image: { image_type: kind.mime, w: kind.width, h: kind.height } }),
    ...(kind?.kind === 'video' && { video: { video_type: kind.mime } }),
    ...(processing_info && { processing_info }),
  }
}

export const showUploadV1 = (upload: Upload, nowMs: number): Static<typeof uploadV1Schema> => ({
  media_id: wholeNumber(upload.id),
  media_id_string: upload.id,
  media_key: upload.mediaKey,
  ...detailsOf(upload, nowMs),
})

export const showUpload = (upload: Upload, nowMs: number): Static<typeof uploadSchema> => ({
  id: upload.id,
  media_key: upload.mediaKey,
  ...detailsOf(upload, nowMs),
})
