import { integer, nullable, optionals, type Params, text } from '../../../api/declare/words.ts'
import { MINUTE_MS, SECOND_MS, wholeSeconds } from '../../../lib/time.ts'
import { typeOfKey } from '../media/media-key.ts'
import { aspectRatioOf, ratioOfMedia, type StoredMedia } from '../media/stored-media.ts'
import { type Component, mediaKeysOf } from './card-types.ts'

/** Media by their keys. */
export type Media = ReadonlyMap<string, StoredMedia>

const metadataOf = (media: StoredMedia) => ({
  type: typeOfKey(media.key),
  url: media.url,
  width: media.width,
  height: media.height,
  video_duration: media.durationMs,
  video_aspect_ratio: media.type === 'photo' ? null : aspectRatioOf(media),
})

/** Components as answers have them: those of media say what the media is. */
export const withMetadata = (components: readonly Component[], media: Media): Component[] =>
  components.map((component) => {
    const keys = mediaKeysOf([component])
    if (keys.length === 0) return component
    const known = keys.flatMap((key) => media.get(key) ?? [])
    return { ...component, media_metadata: Object.fromEntries(known.map((one) => [one.key, metadataOf(one)])) }
  })

const size = (example: number, description?: string) => nullable(integer({ min: 0, example, description }))

const imageMembers = {
  media_url: nullable(text({ description: 'Of a card with an image.' })),
  image_display_width: size(800),
  image_display_height: size(418),
}

/** What poll cards have besides their fields. */
export const pollMembers = {
  duration_in_minutes: integer({ example: 1440 }),
  start_time: text({ example: '2026-03-01T12:00:00Z' }),
  end_time: text({ example: '2026-03-02T12:00:00Z' }),
  ...optionals({
    ...imageMembers,
    video_url: nullable(text({ description: 'Of a poll with media; null for an image.' })),
    video_hls_url: nullable(text()),
    video_width: size(16, 'The first number of the aspect ratio.'),
    video_height: size(9, 'The second number of the aspect ratio.'),
    video_poster_url: nullable(text()),
    video_poster_width: size(16),
    video_poster_height: size(9),
    content_duration_seconds: size(8),
  }),
}

const imageValues = (image: StoredMedia | undefined) => ({
  media_url: image?.url ?? null,
  image_display_width: image?.width ?? null,
  image_display_height: image?.height ?? null,
})

/** What a poll with media shows of its video, if it has one (§2.7). */
function videoPollValues(video: StoredMedia | undefined) {
  const [width = null, height = null] = (video && ratioOfMedia(video)) ?? []
  const poster = video?.previewUrl ?? null
  const durationMs = video?.durationMs ?? null
  return {
    video_url: video?.url ?? null,
    video_hls_url: video?.hlsUrl ?? null,
    video_width: width,
    video_height: height,
    video_poster_url: poster,
    video_poster_width: poster === null ? null : width,
    video_poster_height: poster === null ? null : height,
    content_duration_seconds: durationMs === null ? null : Math.round(durationMs / SECOND_MS),
  }
}

function mediaPollValues(key: string, media: Media) {
  const stored = media.get(key)
  if (typeOfKey(key) !== 'IMAGE') return videoPollValues(stored)
  return { ...imageValues(stored), ...videoPollValues(undefined) }
}

interface Poll {
  created_at: string
  duration_in_minutes: string | null
  media_key: string | null
}

/** The values of a poll card: when it is open, and what its media is. It begins when the card is created (§4.7). */
export function pollValues({ created_at, duration_in_minutes, media_key }: Poll, media: Media): Record<string, unknown> {
  const minutes = Number(duration_in_minutes)
  return {
    duration_in_minutes: minutes,
    start_time: created_at,
    end_time: wholeSeconds(Date.parse(created_at) + minutes * MINUTE_MS),
    ...(media_key !== null && mediaPollValues(media_key, media)),
  }
}

const conversationMembers = {
  title: nullable(text({ max: 23 })),
  ...optionals({
    unlocked_image_url: text({ description: 'Of `unlocked_image_media_key`, which is only written.' }),
    unlocked_video_url: text(),
  }),
}

/** What video conversation cards have besides their fields; null where their video has none. */
export const videoConversationMembers: Params = {
  ...conversationMembers,
  media_url: nullable(text()),
  poster_media_url: nullable(text()),
  video_owner_id: nullable(text({ example: '101' })),
  video_width: size(16, 'The first number of the aspect ratio.'),
  video_height: size(9, 'The second number of the aspect ratio.'),
}

export const imageConversationMembers: Params = { ...conversationMembers, ...imageMembers }

interface Conversation {
  kind: string
  title: string | null
  media_key: string | null
  poster_media_key: string | null
  unlocked_image_media_key: string | null
  unlocked_video_media_key: string | null
}

function videoValues(video: StoredMedia | undefined, { poster_media_key }: Conversation, media: Media) {
  const [width = null, height = null] = (video && ratioOfMedia(video)) ?? []
  return {
    media_url: video?.url ?? null,
    poster_media_url: (poster_media_key === null ? video?.previewUrl : media.get(poster_media_key)?.url) ?? null,
    video_owner_id: video?.ownerId ?? null,
    video_width: width,
    video_height: height,
  }
}

/** The values of a conversation card: what its media are. */
export function conversationValues(card: Conversation, media: Media): Record<string, unknown> {
  const stored = media.get(card.media_key ?? '')
  return {
    title: card.title,
    ...(card.kind === 'IMAGE_CONVERSATION' ? imageValues(stored) : videoValues(stored, card, media)),
    unlocked_image_url: media.get(card.unlocked_image_media_key ?? '')?.url ?? undefined,
    unlocked_video_url: media.get(card.unlocked_video_media_key ?? '')?.url ?? undefined,
  }
}
