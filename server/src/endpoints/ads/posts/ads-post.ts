import { adsTime, long } from '../../../api/declare/ads-words.ts'
import { anyObject, boolean, integer, listOf, nullable, object, oneOf, optional, type Static, text } from '../../../api/declare/words.ts'
import { exactNumber } from '../../../lib/numbers.ts'
import { wholeSeconds } from '../../../lib/time.ts'
import { type StoredEntities, v1EntitiesOf } from '../../objects/v1-entities.ts'
import { v1Moment } from '../../users/v1-user.ts'
import type { LoadedPost } from './load-posts.ts'
import { CONVERSATION_SETTINGS, conversationSettings } from './post-params.ts'

/** How `text` of a post is shown: cut to 140 characters, or whole. `full_text` is whole in either. */
export const postModes = ['compat', 'extended'] as const

export type PostMode = (typeof postModes)[number]

export const postTypes = ['DRAFT', 'PUBLISHED', 'SCHEDULED'] as const

const nothing = (description: string) => nullable(anyObject({ description }))

const WITHOUT_PLACE = 'Always null.'
const NOT_A_REPLY = { description: 'Of the post that it replies to.' }

/** A post as the advertising API answers it (§2.7): the v1.1 form, and what the account knows of it. */
export const adsPostSchema = object({
  created_at: text(),
  id: long(),
  id_str: text(),
  post_id: text(),
  text: text({ min: 0, description: 'In compat mode cut to 140 characters.' }),
  full_text: text({ min: 0, description: 'The whole text.' }),
  display_text_range: optional(listOf(integer(), { description: 'In extended mode.' })),
  truncated: boolean(),
  name: nullable(text()),
  entities: object({
    hashtags: listOf(anyObject()),
    symbols: listOf(anyObject()),
    user_mentions: listOf(anyObject()),
    urls: listOf(anyObject()),
    media: optional(listOf(anyObject())),
  }),
  source: text({ min: 0 }),
  in_reply_to_status_id: nullable(long(NOT_A_REPLY)),
  in_reply_to_status_id_str: nullable(text(NOT_A_REPLY)),
  in_reply_to_user_id: nullable(long(NOT_A_REPLY)),
  in_reply_to_user_id_str: nullable(text(NOT_A_REPLY)),
  in_reply_to_screen_name: nullable(text(NOT_A_REPLY)),
  user: anyObject({ description: 'The author in the v1.1 form; with `trim_user` only `id` and `id_str`.' }),
  geo: nothing(WITHOUT_PLACE),
  coordinates: nothing(WITHOUT_PLACE),
  place: nothing(WITHOUT_PLACE),
  contributors: nothing(WITHOUT_PLACE),
  is_quote_status: boolean(),
  repost_count: integer(),
  favorite_count: integer(),
  favorited: boolean(),
  reposted: boolean(),
  scopes: object({ followers: boolean() }),
  lang: text(),
  conversation_settings: optional(nullable(conversationSettings)),
  nullcast: boolean(),
  card_uri: nullable(text()),
  scheduled_at: nullable(adsTime()),
  scheduled_status: nullable(oneOf(['SCHEDULED', 'SUCCESS', 'FAILED', 'DELETED'])),
  tweet_type: oneOf(postTypes),
  video_cta: nullable(text()),
  video_cta_value: nullable(text()),
  video_title: nullable(text()),
  video_description: nullable(text()),
})

export type AdsPostView = Static<typeof adsPostSchema>

const COMPAT_CHARACTERS = 140

/** The text as a mode shows it, and where it ends. */
function textOf(whole: string, mode: PostMode) {
  const characters = [...whole]
  if (mode === 'extended')
    return { shown: { text: whole, full_text: whole, display_text_range: [0, characters.length] }, end: characters.length, isCut: false }
  if (characters.length <= COMPAT_CHARACTERS) return { shown: { text: whole, full_text: whole }, end: characters.length, isCut: false }
  const end = COMPAT_CHARACTERS - 1
  return { shown: { text: `${characters.slice(0, end).join('')}…`, full_text: whole }, end, isCut: true }
}

const settingOf = (replySettings: string) =>
  (Object.entries(CONVERSATION_SETTINGS).find(([, value]) => value === replySettings)?.[0] as
    | keyof typeof CONVERSATION_SETTINGS
    | undefined) ?? null

const inNumber = (id: string | undefined) => (id === undefined ? null : exactNumber(id))

const timeOf = (ms: number | undefined) => (ms === undefined ? null : wholeSeconds(ms))

export interface PresentOptions {
  trimUser: boolean
  mode: PostMode
  /** The answer to the creation of a post is without `conversation_settings`. */
  isNew?: boolean
}

/** A post as it is answered. */
export function presentPost(loaded: LoadedPost, { trimUser, mode, isNew = false }: PresentOptions): AdsPostView {
  const { id, author, inReplyTo, ads } = loaded
  const { shown, end, isCut } = textOf(loaded.text, mode)
  const entities = JSON.parse(loaded.entities ?? '{}') as StoredEntities
  const video = (ads.video ?? {}) as Record<string, string | undefined>
  return {
    created_at: v1Moment(loaded.createdAtMs),
    id: exactNumber(id),
    id_str: id,
    post_id: id,
    ...shown,
    truncated: isCut,
    name: ads.name,
    entities: v1EntitiesOf(entities, { end, names: loaded.names, media: loaded.media }),
    source: loaded.source,
    in_reply_to_status_id: inNumber(inReplyTo.postId),
    in_reply_to_status_id_str: inReplyTo.postId ?? null,
    in_reply_to_user_id: inNumber(inReplyTo.userId),
    in_reply_to_user_id_str: inReplyTo.userId ?? null,
    in_reply_to_screen_name: inReplyTo.username ?? null,
    user: trimUser ? { id: author.id, id_str: author.id_str } : author,
    geo: null,
    coordinates: null,
    place: null,
    contributors: null,
    is_quote_status: loaded.isQuote,
    repost_count: loaded.repostCount,
    favorite_count: loaded.likeCount,
    favorited: false,
    reposted: false,
    scopes: { followers: false },
    lang: loaded.lang,
    ...(!isNew && { conversation_settings: settingOf(loaded.replySettings) }),
    nullcast: loaded.nullcast,
    card_uri: loaded.cardUri ?? null,
    scheduled_at: timeOf(ads.scheduledAtMs),
    scheduled_status: ads.scheduledStatus,
    tweet_type: ads.type,
    video_cta: video.video_cta ?? null,
    video_cta_value: video.video_cta_value ?? null,
    video_title: video.video_title ?? null,
    video_description: video.video_description ?? null,
  }
}
