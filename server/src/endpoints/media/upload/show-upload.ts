import { long } from '../../../api/declare/ads-words.ts'
import { id, integer, object, oneOf, optional, type Static, text } from '../../../api/declare/words.ts'
import { wholeNumber } from '../../../lib/numbers.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import type { Upload } from '../../../storage/uploads.ts'

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
