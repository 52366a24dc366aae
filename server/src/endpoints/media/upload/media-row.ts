import type { Inspected } from '../../../lib/media-inspection/inspected.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import type { MediaValues, Upload, UploadedKind } from '../../../storage/uploads.ts'
import { type MediaKind, uploadKind } from './upload-kinds.ts'

const types = { image: 'photo', gif: 'animated_gif', video: 'video' } as const

const BITS = 8

function variantsOf(inspected: Inspected, size: number, url: string): string | null {
  if (inspected.kind !== 'video') return null
  const bit_rate = inspected.durationMs > 0 ? Math.round((size * BITS * SECOND_MS) / inspected.durationMs) : 0
  return JSON.stringify([{ bit_rate, content_type: inspected.mime, url }])
}

/** Where its files are served. */
export interface MediaUrls {
  url: string
  posterUrl: string | null
}

/** The media that an upload makes, as a row of `media`. */
export function mediaRow(upload: Upload, inspected: Inspected, kind: MediaKind, { url, posterUrl }: MediaUrls): MediaValues {
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

export const uploadedKind = ({ mime, width, height }: Inspected, kind: MediaKind): UploadedKind => ({ mime, kind, width, height })
