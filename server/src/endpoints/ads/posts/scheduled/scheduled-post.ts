import { adsTime } from '../../../../api/declare/ads-words.ts'
import { boolean, listOf, nullable, object, oneOf, type Static, text } from '../../../../api/declare/words.ts'
import { entitiesOf } from '../../../../lib/post-text/entities.ts'
import { languageOf } from '../../../../lib/post-text/language.ts'
import { wholeSeconds } from '../../../../lib/time.ts'
import type { Content } from '../../../../storage/content.ts'
import { scheduledPosts } from '../../../../storage/content-tables.ts'
import { type LoadedPost, loadReferences, v1ProfileOf, valuesByKey } from '../load-posts.ts'

export const scheduledStates = ['SCHEDULED', 'SUCCESS', 'FAILED', 'DELETED'] as const

export type ScheduledStatus = (typeof scheduledStates)[number]

/** A post that an account has published later. */
export interface ScheduledPost {
  id: string
  accountId: string
  authorId: string
  /** Who chose its media. */
  creatorId: string
  /** Who created it or changed it last: it is published only if this member may still post as the author. */
  changerId: string
  text: string
  name: string | null
  cardUri: string | undefined
  mediaKeys: readonly string[]
  nullcast: boolean
  /** The `video_*` parameters that were sent. */
  video: Readonly<Record<string, string>>
  source: string
  scheduledAtMs: number
  status: ScheduledStatus
  /** The post, once it is published. */
  postId: string | undefined
  createdAtMs: number
  updatedAtMs: number
  completedAtMs: number | undefined
}

const orUndefined = <T>(value: unknown) => (value === null ? undefined : (value as T))

const parsed = <T>(json: unknown, otherwise: T): T => (typeof json === 'string' ? JSON.parse(json) : otherwise)

/** A row as an object. */
export const scheduledPostOf = (row: Readonly<Record<string, unknown>>): ScheduledPost => ({
  id: row.id as string,
  accountId: row.account_id as string,
  authorId: row.user_id as string,
  text: row.text as string,
  creatorId: row.creator_id as string,
  changerId: row.changer_id as string,
  name: row.name as string | null,
  cardUri: orUndefined(row.card_uri),
  mediaKeys: parsed<string[]>(row.media_keys, []),
  nullcast: Boolean(row.nullcast),
  video: parsed<Record<string, string>>(row.video, {}),
  source: row.source as string,
  scheduledAtMs: row.scheduled_at_ms as number,
  status: row.status as ScheduledStatus,
  postId: orUndefined(row.post_id),
  createdAtMs: row.created_at_ms as number,
  updatedAtMs: row.updated_at_ms as number,
  completedAtMs: orUndefined(row.completed_at_ms),
})

/** What of a scheduled post is stored. */
export const scheduledRow = (post: ScheduledPost) => ({
  id: post.id,
  position: post.id,
  account_id: post.accountId,
  user_id: post.authorId,
  text: post.text,
  name: post.name,
  creator_id: post.creatorId,
  changer_id: post.changerId,
  card_uri: post.cardUri ?? null,
  media_keys: JSON.stringify(post.mediaKeys),
  nullcast: post.nullcast,
  video: JSON.stringify(post.video),
  source: post.source,
  scheduled_at_ms: post.scheduledAtMs,
  status: post.status,
  post_id: post.postId ?? null,
  created_at_ms: post.createdAtMs,
  updated_at_ms: post.updatedAtMs,
  completed_at_ms: post.completedAtMs ?? null,
  // A change ends the claim of whoever was about to publish it.
  due_at_ms: post.status === 'SCHEDULED' ? post.scheduledAtMs : null,
  worker: null,
})

/** The columns of a scheduled post. */
export const SCHEDULED_COLUMNS = Object.keys(scheduledPosts.columns)

export const scheduledPostsOf = async (content: Pick<Content, 'rows'>, ids: readonly string[]): Promise<ScheduledPost[]> =>
  [...(await valuesByKey(content, scheduledPosts, ids)).values()].map(scheduledPostOf)

/** A scheduled post as answers have it (public practice). */
export const scheduledPostSchema = object({
  id: text(),
  text: text({ min: 0 }),
  name: nullable(text()),
  user_id: text(),
  nullcast: boolean(),
  card_uri: nullable(text()),
  media_keys: listOf(text()),
  post_id: nullable(text()),
  scheduled_status: oneOf(scheduledStates),
  scheduled_at: adsTime(),
  completed_at: nullable(adsTime()),
  created_at: adsTime(),
  updated_at: adsTime(),
  video_cta: nullable(text()),
  video_cta_value: nullable(text()),
  video_title: nullable(text()),
  video_description: nullable(text()),
})

export const presentScheduled = (post: ScheduledPost): Static<typeof scheduledPostSchema> => ({
  id: post.id,
  text: post.text,
  name: post.name,
  user_id: post.authorId,
  nullcast: post.nullcast,
  card_uri: post.cardUri ?? null,
  media_keys: [...post.mediaKeys],
  post_id: post.postId ?? null,
  scheduled_status: post.status,
  scheduled_at: wholeSeconds(post.scheduledAtMs),
  completed_at: post.completedAtMs === undefined ? null : wholeSeconds(post.completedAtMs),
  created_at: wholeSeconds(post.createdAtMs),
  updated_at: wholeSeconds(post.updatedAtMs),
  video_cta: post.video.video_cta ?? null,
  video_cta_value: post.video.video_cta_value ?? null,
  video_title: post.video.video_title ?? null,
  video_description: post.video.video_description ?? null,
})

/** Scheduled posts in the form of posts, for lists that have both. */
export async function loadScheduledAsPosts(content: Pick<Content, 'rows'>, scheduled: readonly ScheduledPost[]): Promise<LoadedPost[]> {
  const rows = scheduled.map(scheduledRow)
  const { people, names, mediaOf } = await loadReferences(content, rows, ['user_id'])
  return scheduled.flatMap((post, place): LoadedPost[] => {
    const author = people.get(post.authorId)
    if (!author) return []
    const { id, text, createdAtMs, source, nullcast, cardUri, name, video, scheduledAtMs, status } = post
    return [
      {
        id,
        text,
        createdAtMs,
        lang: languageOf(text),
        source,
        replySettings: 'everyone',
        nullcast,
        isQuote: false,
        repostCount: 0,
        likeCount: 0,
        cardUri,
        entities: JSON.stringify(entitiesOf(text)),
        inReplyTo: {},
        author: v1ProfileOf(author),
        names,
        media: mediaOf(rows[place]!),
        ads: { name, video, scheduledAtMs, scheduledStatus: status, type: 'SCHEDULED' },
      },
    ]
  })
}
