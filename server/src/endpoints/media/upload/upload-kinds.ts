import type { Inspected } from '../../../lib/media-inspection/inspected.ts'
import { MAX_GIF_BYTES, MAX_SIDE } from '../../../lib/media-inspection/limits.ts'
import { MINUTE_MS, SECOND_MS } from '../../../lib/time.ts'
import { type MediaCategory, mediaKey } from '../categories.ts'

/** An image that does not move, of whichever format; a GIF that does, or was uploaded as one; a video. */
export type MediaKind = 'image' | 'gif' | 'video'

/** The most that media may have. Sides are in pixels; the ratio is of the longer side to the shorter. */
export interface KindLimits {
  maxBytes: number
  maxSide?: number
  maxRatio?: number
  maxMs?: number
}

/** What may be uploaded for a purpose. */
export interface UploadKind {
  /** The category of the media; null for those of direct messages, and without a category. */
  category: MediaCategory | null
  holds: Partial<Record<MediaKind, KindLimits>>
}

const MB = 1024 * 1024

const image: KindLimits = { maxBytes: 5 * MB, maxSide: MAX_SIDE }
const gif: KindLimits = { maxBytes: MAX_GIF_BYTES, maxSide: MAX_SIDE }
const video: KindLimits = { maxBytes: 512 * MB, maxRatio: 3, maxMs: 140 * SECOND_MS }
const longVideo: KindLimits = { ...video, maxMs: 10 * MINUTE_MS }

/** What uploads are declared for, and what each may hold (public practice). */
export const uploadKinds = {
  tweet_image: { category: 'TWEET_IMAGE', holds: { image } },
  tweet_gif: { category: 'TWEET_GIF', holds: { gif } },
  tweet_video: { category: 'TWEET_VIDEO', holds: { video } },
  amplify_video: { category: 'AMPLIFY_VIDEO', holds: { video: longVideo } },
  dm_image: { category: null, holds: { image } },
  dm_gif: { category: null, holds: { gif } },
  dm_video: { category: null, holds: { video } },
} as const satisfies Record<string, UploadKind>

export type UploadCategory = keyof typeof uploadKinds

export const uploadCategories = Object.keys(uploadKinds) as UploadCategory[]

const anyKind: UploadKind = { category: null, holds: { image, gif, video } }

/** What an upload may hold; anything without a category. */
export const uploadKind = (category: string | null): UploadKind => (category === null ? anyKind : uploadKinds[category as UploadCategory])

/** The media types that may be declared, and the kind that each says. The file itself decides. */
export const mediaTypes: Readonly<Record<string, MediaKind>> = {
  'image/jpeg': 'image',
  'image/pjpeg': 'image',
  'image/jpg': 'image',
  'image/png': 'image',
  'image/webp': 'image',
  'image/gif': 'gif',
  'video/mp4': 'video',
  'video/quicktime': 'video',
}

/** The most bytes of anything that may be uploaded. */
export const MAX_MEDIA_BYTES = video.maxBytes

/** Clients write `tweet_image`, `TWEET_IMAGE`, `TweetImage`, and so on. */
export function readCategory(text: string): UploadCategory | undefined {
  const plain = text.toLowerCase().replaceAll('_', '').replace(/^post/, 'tweet')
  return uploadCategories.find((category) => category.replaceAll('_', '') === plain)
}

/** The kind of a file in its upload: a GIF that does not move is an image, unless it was uploaded as a GIF. */
export function kindIn({ holds }: UploadKind, inspected: Inspected, declared?: MediaKind): MediaKind {
  if (inspected.kind !== 'gif') return inspected.kind
  return inspected.isAnimated || !holds.image || (declared === 'gif' && holds.gif) ? 'gif' : 'image'
}

const usualCategories = { image: 'TWEET_IMAGE', gif: 'TWEET_GIF', video: 'TWEET_VIDEO' } as const

/** The key of media: its category stands in it, or that of its kind. */
export const keyOfUpload = (id: string, { category }: UploadKind, kind: MediaKind): string =>
  mediaKey(category ?? usualCategories[kind], id)
