import { optionals, text } from '../../../api/declare/words.ts'
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

/** Numbers are texts here (public practice). */
const asText = (number: number | null | undefined) => (number === null || number === undefined ? undefined : String(number))

/** What poll cards have besides their fields. */
export const pollMembers = {
  start_time: text({ example: '2026-03-01T12:00:00Z' }),
  end_time: text({ example: '2026-03-02T12:00:00Z' }),
  ...optionals({
    media_url: text({ description: 'Of a poll with an image.' }),
    image_display_width: text({ example: '800' }),
    image_display_height: text({ example: '418' }),
    video_url: text({ description: 'Of a poll with a video.' }),
    video_hls_url: text(),
    video_width: text({ example: '16', description: 'The first number of the aspect ratio.' }),
    video_height: text({ example: '9', description: 'The second number of the aspect ratio.' }),
    video_poster_url: text(),
    video_poster_width: text({ example: '16' }),
    video_poster_height: text({ example: '9' }),
    content_duration_seconds: text({ example: '8' }),
  }),
}

const imageValues = (media: StoredMedia) => ({
  media_url: media.url ?? undefined,
  image_display_width: asText(media.width),
  image_display_height: asText(media.height),
})

function videoPollValues(media: StoredMedia) {
  const [width, height] = ratioOfMedia(media) ?? []
  const isPosted = media.previewUrl !== null
  return {
    video_url: media.url ?? undefined,
    video_hls_url: media.hlsUrl ?? undefined,
    video_width: asText(width),
    video_height: asText(height),
    ...(isPosted && { video_poster_url: media.previewUrl, video_poster_width: asText(width), video_poster_height: asText(height) }),
    content_duration_seconds: asText(media.durationMs === null ? null : Math.round(media.durationMs / SECOND_MS)),
  }
}

interface Poll {
  created_at: string
  duration_in_minutes: string | null
  media_key: string | null
}

/** The values of a poll card: when it is open, and what its media is. It begins when the card is created (§4.7). */
export function pollValues({ created_at, duration_in_minutes, media_key }: Poll, media: Media): Record<string, unknown> {
  const stored = media.get(media_key ?? '')
  const ofMedia = stored && (typeOfKey(stored.key) === 'IMAGE' ? imageValues(stored) : videoPollValues(stored))
  return {
    start_time: created_at,
    end_time: wholeSeconds(Date.parse(created_at) + Number(duration_in_minutes) * MINUTE_MS),
    ...ofMedia,
  }
}

const unlockedMembers = {
  unlocked_image_url: text({ description: 'Of `unlocked_image_media_key`, which is only written.' }),
  unlocked_video_url: text(),
}

/** What video conversation cards have besides their fields. */
export const videoConversationMembers = optionals({
  media_url: text(),
  poster_media_url: text(),
  video_owner_id: text({ example: '101' }),
  video_width: text({ example: '16', description: 'The first number of the aspect ratio.' }),
  video_height: text({ example: '9', description: 'The second number of the aspect ratio.' }),
  ...unlockedMembers,
})

export const imageConversationMembers = optionals({
  media_url: text(),
  image_display_width: text({ example: '800' }),
  image_display_height: text({ example: '418' }),
  ...unlockedMembers,
})

interface Conversation {
  media_key: string | null
  poster_media_key: string | null
  unlocked_image_media_key: string | null
  unlocked_video_media_key: string | null
}

function videoValues(video: StoredMedia, { poster_media_key }: Conversation, media: Media) {
  const [width, height] = ratioOfMedia(video) ?? []
  return {
    media_url: video.url ?? undefined,
    poster_media_url: (poster_media_key === null ? video.previewUrl : media.get(poster_media_key)?.url) ?? undefined,
    video_owner_id: video.ownerId ?? undefined,
    video_width: asText(width),
    video_height: asText(height),
  }
}

/** The values of a conversation card: what its media are. */
export function conversationValues(card: Conversation, media: Media): Record<string, unknown> {
  const stored = media.get(card.media_key ?? '')
  const ofMedia = stored && (typeOfKey(stored.key) === 'IMAGE' ? imageValues(stored) : videoValues(stored, card, media))
  return {
    ...ofMedia,
    unlocked_image_url: media.get(card.unlocked_image_media_key ?? '')?.url ?? undefined,
    unlocked_video_url: media.get(card.unlocked_video_media_key ?? '')?.url ?? undefined,
  }
}
