import { isDeepStrictEqual } from 'node:util'
import { accountMember, type MemberCaller } from '../../../../access/account-member.ts'
import { adsId, adsTime, decimalId } from '../../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../../api/declare/problem.ts'
import { boolean, listOf, nullable, optional } from '../../../../api/declare/words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import { cursorRule, pagesBy } from '../../../../api/records/cursor.ts'
import { choosing, pagingParams } from '../../../../api/records/list-endpoint.ts'
import { DAY_MS, MINUTE_MS } from '../../../../lib/time.ts'
import type { Content, ContentTransaction } from '../../../../storage/content.ts'
import { scheduledPosts } from '../../../../storage/content-tables.ts'
import type { Records } from '../../../../storage/records.ts'
import { assertUsable, type MakeServices } from '../make-post.ts'
import { asUserId, changeRules, contentParams, contentRules, listedAuthor, videoOf } from '../post-params.ts'
import { assertMayPostAs, authorOfList, seesScheduled } from '../promotable-users.ts'
import { pageOfScheduled } from './scheduled-lists.ts'
import {
  presentScheduled,
  SCHEDULED_COLUMNS,
  type ScheduledPost,
  scheduledPostOf,
  scheduledPostSchema,
  scheduledPostsOf,
  scheduledRow,
} from './scheduled-post.ts'

const absent = (id: string) => adsProblem('NOT_FOUND', `Scheduled post ${id} was not found`, 'scheduled_post_id')

const ofAccount = (post: ScheduledPost | undefined, id: string, accountId: string): ScheduledPost => {
  if (!post || post.accountId !== accountId || post.status === 'DELETED') throw absent(id)
  return post
}

interface Reads {
  content: Pick<Content, 'rows'>
  records: Pick<Records, 'list'>
}

/** A scheduled post of an account, which lists show to the caller. Throws 404 if there is none, or it was deleted. */
async function ownScheduledPost(id: string, caller: MemberCaller, { content, records }: Reads): Promise<ScheduledPost> {
  const post = ofAccount((await scheduledPostsOf(content, [id]))[0], id, caller.accountId)
  if (!(await seesScheduled(caller, post.authorId, { records }))) throw absent(id)
  return post
}

/** A scheduled post of an account, locked. Throws 404 if there is none, or it was deleted, and 400 for one that is published or has failed. */
async function lockScheduledPost(transaction: ContentTransaction, id: string, accountId: string, nowMs: number): Promise<ScheduledPost> {
  const row = await transaction.get(scheduledPosts, id, SCHEDULED_COLUMNS)
  const post = ofAccount(row && scheduledPostOf(row), id, accountId)
  if (post.status !== 'SCHEDULED' || post.scheduledAtMs <= nowMs)
    throw adsProblem('INVALID', `Scheduled post ${id} can be changed only before its scheduled_at`, 'scheduled_post_id')
  return post
}

const MOST_AHEAD_MS = 365 * DAY_MS

/** The minute of a `scheduled_at`. Throws unless it lies in the future, and at most a year ahead (public practice). */
function atMinute(scheduledAt: string, nowMs: number): number {
  const minute = Math.floor(Date.parse(scheduledAt) / MINUTE_MS) * MINUTE_MS
  if (minute <= nowMs || minute > nowMs + MOST_AHEAD_MS)
    throw adsProblem('INVALID_PARAMETER', 'scheduled_at must be a minute in the future, at most a year ahead', 'scheduled_at')
  return minute
}

export const createScheduledPost = adsEndpoint({
  name: 'createScheduledPost',
  route: 'POST /12/accounts/:account_id/scheduled_posts',
  section: '§4.7',
  summary: 'Create a post that is published later.',
  description:
    '`scheduled_at` is in the future, at most a year ahead; its seconds are ignored (public practice). What a post may be is checked now, and again ' +
    'when it is due, as is whether the member who created it or changed it last may still post as the author: where it may no longer be published, `scheduled_status` becomes `FAILED`, else `SUCCESS` with `post_id`.',
  auth: accountMember({ changes: 'posts' }),
  params: { account_id: adsId(), as_user_id: asUserId, scheduled_at: adsTime({ example: '2030-01-01T00:00:00Z' }), ...contentParams },
  rules: contentRules,
  data: scheduledPostSchema,
  async handle({ params: sent, caller }, services: MakeServices) {
    const { as_user_id: authorId, nullcast } = sent
    const nowMs = services.now()
    const scheduledAtMs = atMinute(sent.scheduled_at, nowMs)
    await assertMayPostAs(caller, authorId, nullcast, services)
    const post: ScheduledPost = {
      id: services.ids.next(),
      accountId: caller.accountId,
      authorId,
      text: sent.text ?? '',
      name: sent.name ?? null,
      creatorId: caller.user.id,
      changerId: caller.user.id,
      cardUri: sent.card_uri,
      mediaKeys: sent.media_keys ?? [],
      nullcast,
      video: videoOf(sent),
      source: caller.app.name,
      scheduledAtMs,
      status: 'SCHEDULED',
      postId: undefined,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      completedAtMs: undefined,
    }
    await assertUsable(post, caller.user.id, services)
    await services.content.change(async (transaction) => {
      await transaction.insert(scheduledPosts, scheduledRow(post))
      transaction.wake('scheduled_posts')
    })
    return { data: presentScheduled(post) }
  },
})

interface Services {
  content: Content
  records: Records
}

const listParams = {
  account_id: adsId(),
  user_id: listedAuthor,
  ...pagingParams({ default: 100, max: 200 }),
}

const tiedTo = ({ account_id, user_id }: Record<string, unknown>) => ['listScheduledPosts', account_id, user_id ?? null]

const { after, pageOf } = pagesBy('id', 'decimal', tiedTo)

export const listScheduledPosts = adsEndpoint({
  name: 'listScheduledPosts',
  route: 'GET /12/accounts/:account_id/scheduled_posts',
  section: '§4.7',
  summary: 'List the scheduled posts of an account by one author, newest first.',
  description:
    'Those that are published and those that failed stay in the list; deleted ones do not. `sort_by`, `with_deleted` and `with_total_count` have no effect.',
  auth: accountMember(),
  params: listParams,
  rules: [cursorRule(choosing(listParams), after)],
  data: listOf(scheduledPostSchema),
  isList: true,
  async handle({ params: sent, caller }, services: Services) {
    const authorId = await authorOfList(caller, sent.user_id, services)
    const page = { accountId: caller.accountId, authorId, olderThan: after(sent)?.key, limit: sent.count + 1 }
    const found = await pageOfScheduled(services.content, page)
    const { page: shown, next_cursor } = pageOf(found, sent)
    return { data: shown.map(presentScheduled), next_cursor }
  },
})

export const getScheduledPost = adsEndpoint({
  name: 'getScheduledPost',
  route: 'GET /12/accounts/:account_id/scheduled_posts/:scheduled_post_id',
  section: '§4.7',
  summary: 'Get a scheduled post.',
  description: 'Of an author whose scheduled posts are listed.',
  auth: accountMember(),
  params: { account_id: adsId(), scheduled_post_id: decimalId() },
  data: scheduledPostSchema,
  async handle({ params: { scheduled_post_id: id }, caller }, services: Services) {
    return { data: presentScheduled(await ownScheduledPost(id, caller, services)) }
  },
})

const { text, name, card_uri, media_keys } = contentParams

const params = {
  account_id: adsId(),
  scheduled_post_id: decimalId(),
  text,
  name,
  card_uri: optional(nullable(card_uri)),
  media_keys: optional(nullable(media_keys)),
  nullcast: optional(boolean()),
  scheduled_at: optional(adsTime({ example: '2030-01-01T00:00:00Z' })),
}

interface Sent {
  text?: string
  name?: string | null
  card_uri?: string | null
  media_keys?: string[] | null
  nullcast?: boolean
  scheduled_at?: string
}

/** A scheduled post with what was sent of it; null takes a value away. Media that are sent back as they are stay those of whoever chose them. */
function changed(post: ScheduledPost, sent: Sent, callerId: string, nowMs: number): ScheduledPost {
  const { text = post.text, name = post.name, nullcast = post.nullcast, scheduled_at: at } = sent
  return {
    ...post,
    text,
    name,
    nullcast,
    updatedAtMs: nowMs,
    creatorId: sent.media_keys && !isDeepStrictEqual(sent.media_keys, post.mediaKeys) ? callerId : post.creatorId,
    changerId: callerId,
    cardUri: sent.card_uri === undefined ? post.cardUri : (sent.card_uri ?? undefined),
    mediaKeys: sent.media_keys === undefined ? post.mediaKeys : (sent.media_keys ?? []),
    scheduledAtMs: at === undefined ? post.scheduledAtMs : atMinute(at, nowMs),
  }
}

const assertNotBlank = ({ text, mediaKeys }: ScheduledPost) => {
  if (text.trim() === '' && mediaKeys.length === 0)
    throw adsProblem('TWEET_CANNOT_BE_BLANK', 'text must not be blank without media', 'text')
}

const assertHasVideo = ({ mediaKeys, video }: ScheduledPost) => {
  if (mediaKeys.length === 0 && Object.keys(video).length > 0)
    throw adsProblem('INVALID_MEDIA', `${Object.keys(video).join(', ')}: only for a post with a video`, 'media_keys')
}

export const updateScheduledPost = adsEndpoint({
  name: 'updateScheduledPost',
  route: 'PUT /12/accounts/:account_id/scheduled_posts/:scheduled_post_id',
  section: '§4.7',
  summary: 'Change a scheduled post before its time.',
  description: 'What is not sent stays; an empty `name`, `card_uri` or `media_keys` is removed. The author stays.',
  auth: accountMember({ changes: 'posts' }),
  params,
  rules: changeRules,
  data: scheduledPostSchema,
  async handle({ params: sent, caller }, services: MakeServices) {
    const { content } = services
    const { scheduled_post_id: id } = sent
    const { accountId, user } = caller
    const nowMs = services.now()
    const stored = await ownScheduledPost(id, caller, services)
    const wanted = changed(stored, sent, user.id, nowMs)
    assertNotBlank(wanted)
    assertHasVideo(wanted)
    await assertMayPostAs(caller, wanted.authorId, wanted.nullcast, services, 'scheduled_post_id')
    // What is sent back as it is, is no new use; it is checked again when the post is due.
    const newCardUri = wanted.cardUri === stored.cardUri ? undefined : wanted.cardUri
    await assertUsable({ ...wanted, cardUri: newCardUri }, wanted.creatorId, services)
    const updated = await content.change(async (transaction) => {
      const post = changed(await lockScheduledPost(transaction, id, accountId, nowMs), sent, user.id, nowMs)
      // Another change may have taken the media or the text away meanwhile.
      assertNotBlank(post)
      assertHasVideo(post)
      await transaction.update(scheduledPosts, id, scheduledRow(post))
      transaction.wake('scheduled_posts')
      return post
    })
    return { data: presentScheduled(updated) }
  },
})

export const deleteScheduledPost = adsEndpoint({
  name: 'deleteScheduledPost',
  route: 'DELETE /12/accounts/:account_id/scheduled_posts/:scheduled_post_id',
  section: '§4.7',
  summary: 'Delete a scheduled post before its time. It is not published.',
  description: 'Takes the same permission as to create it.',
  auth: accountMember({ changes: 'posts' }),
  params: { account_id: adsId(), scheduled_post_id: decimalId() },
  data: scheduledPostSchema,
  async handle({ params: { scheduled_post_id: id }, caller }, services: Services & { now: () => number }) {
    const { content } = services
    const nowMs = services.now()
    const { authorId } = await ownScheduledPost(id, caller, services)
    // Whether it is organic does not matter: nothing is posted.
    await assertMayPostAs(caller, authorId, true, services, 'scheduled_post_id')
    const deleted = await content.change(async (transaction) => {
      const post: ScheduledPost = {
        ...(await lockScheduledPost(transaction, id, caller.accountId, nowMs)),
        status: 'DELETED',
        updatedAtMs: nowMs,
      }
      await transaction.update(scheduledPosts, id, scheduledRow(post))
      return post
    })
    return { data: presentScheduled(deleted) }
  },
})
