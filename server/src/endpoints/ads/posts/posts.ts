import { accountMember, type MemberCaller } from '../../../access/account-member.ts'
import { adsId, decimalId } from '../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { boolean, commaList, defaulting, listOf, nullable, oneOf, optional, type ParamsOf, text } from '../../../api/declare/words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { cursorRule, pagesBy } from '../../../api/records/cursor.ts'
import { choosing, pagingParams } from '../../../api/records/list-endpoint.ts'
import type { Outbox } from '../../../delivery/outbox.ts'
import type { Content, PostList } from '../../../storage/content.ts'
import { adsPostKey, adsPosts, posts } from '../../../storage/content-tables.ts'
import type { Records } from '../../../storage/records.ts'
import { adsPostSchema, postModes, postTypes, presentPost } from './ads-post.ts'
import { loadPosts } from './load-posts.ts'
import { type AdsPostContent, assertUsable, type MakeServices, prepareAdsPost, storeAdsPost } from './make-post.ts'
import { asUserId, CONVERSATION_SETTINGS, contentParams, contentRules, conversationSettings, listedAuthor, videoOf } from './post-params.ts'
import { madeAmong, usable } from './promotable-posts.ts'
import { assertMayPostAs, authorOfList, authorsInFull } from './promotable-users.ts'
import { pageOfScheduled, type ScheduledPage } from './scheduled/scheduled-lists.ts'
import { loadScheduledAsPosts } from './scheduled/scheduled-post.ts'

export const createAdsPost = adsEndpoint({
  name: 'createAdsPost',
  route: 'POST /12/accounts/:account_id/post',
  section: '§4.7',
  summary: 'Create a post.',
  description:
    'The post is the same that the general API reads. One for promotion only is found by its id, but by no list, search or keyword, and is not ' +
    'announced by `post.create`. The same text by the same author within 24 hours is a duplicate, also where it is for promotion only. The answer ' +
    'has `full_text`, and `text`: in compat mode cut to 140 characters with `truncated`, in extended mode whole.',
  auth: accountMember({ changes: 'posts' }),
  params: {
    account_id: adsId(),
    as_user_id: asUserId,
    ...contentParams,
    conversation_settings: defaulting(conversationSettings, 'EVERYONE'),
    trim_user: defaulting(boolean(), false),
    post_mode: defaulting(oneOf(postModes), 'compat'),
  },
  rules: contentRules,
  data: adsPostSchema,
  async handle({ params: sent, caller }, services: MakeServices & { outbox: Outbox }) {
    const { as_user_id: authorId, nullcast, trim_user: trimUser, post_mode: mode } = sent
    await assertMayPostAs(caller, authorId, nullcast, services)
    const given: AdsPostContent = {
      accountId: caller.accountId,
      authorId,
      text: sent.text ?? '',
      name: sent.name ?? null,
      cardUri: sent.card_uri,
      mediaKeys: sent.media_keys ?? [],
      video: videoOf(sent),
      nullcast,
      source: caller.app.name,
      replySettings: CONVERSATION_SETTINGS[sent.conversation_settings],
    }
    await assertUsable(given, caller.user.id, services)
    const made = await prepareAdsPost(given, services)
    await services.outbox.change(made.events, (transaction, announce) => storeAdsPost(transaction, announce, made))
    const [stored] = await loadPosts(services.content, [made.post.id], caller.accountId)
    // Its author may have deleted it meanwhile, or be gone.
    if (!stored) throw adsProblem('TWEET_NOT_FOUND', `Post ${made.post.id} was created, and deleted before it could be answered`)
    return { data: presentPost(stored, { trimUser, mode, isNew: true }) }
  },
})

interface RenameServices {
  content: Content
  records: Records
}

const notFound = (id: string) => adsProblem('TWEET_NOT_FOUND', `Post ${id} was not found`, 'post_id')

/** Throws 404 for a post that does not exist, or that neither the account made nor the caller or its full promotable user wrote. */
async function assertOfAccount(id: string, caller: MemberCaller, services: RenameServices) {
  const { unknown, refused } = await usable([id], caller.accountId, await authorsInFull(caller, services), services)
  if (unknown.length > 0 || refused.length > 0) throw notFound(id)
}

/** Gives a post a name in an account, or takes it away. The row is made where the account knows nothing of the post yet. */
const rename = (content: Content, accountId: string, id: string, name: string | null) =>
  content.change(async (transaction) => {
    if (!(await transaction.keep(posts, id, ['id']))) throw notFound(id)
    const key = adsPostKey(accountId, id)
    const isNew = await transaction.insert(adsPosts, {
      id: key,
      post_id: id,
      account_id: accountId,
      made: false,
      name,
      scheduled_at_ms: null,
      video: null,
    })
    if (!isNew) await transaction.update(adsPosts, key, { name })
  })

export const renamePost = adsEndpoint({
  name: 'renamePost',
  route: 'PUT /12/accounts/:account_id/posts/:post_id/name',
  section: '§4.7',
  summary: 'Name a post.',
  description:
    'Any post that the account made, or of its full promotable user, or of the authenticated user. The name is that in this account: members ' +
    'see it, other accounts and readers of the post do not. An empty name removes it. The answer is in extended mode.',
  auth: accountMember({ changes: 'posts' }),
  params: {
    account_id: adsId(),
    post_id: decimalId(),
    name: nullable(text({ max: 80, example: 'Spring' })),
    trim_user: defaulting(boolean(), false),
  },
  example: { name: 'Spring' },
  data: adsPostSchema,
  async handle({ params: { post_id: id, name, trim_user: trimUser }, caller }, services: RenameServices) {
    await assertOfAccount(id, caller, services)
    await rename(services.content, caller.accountId, id, name)
    const [renamed] = await loadPosts(services.content, [id], caller.accountId)
    if (!renamed) throw notFound(id)
    return { data: presentPost(renamed, { trimUser, mode: 'extended' }) }
  },
})

const params = {
  account_id: adsId(),
  post_type: oneOf(postTypes, { description: 'There are no drafts: of these the list is empty.' }),
  timeline_type: defaulting(
    oneOf(['NULLCAST', 'ORGANIC', 'ALL'], { description: 'Published posts that are for promotion only, those that are not, or both.' }),
    'NULLCAST',
  ),
  include_mentions_and_replies: defaulting(boolean({ description: 'False leaves out published posts that are replies.' }), true),
  post_ids: optional(commaList(decimalId(), { max: 200 })),
  user_id: listedAuthor,
  trim_user: defaulting(boolean(), false),
  ...pagingParams(),
}

type Sent = ParamsOf<typeof params>

const defaultOf = (name: string) => (params[name as keyof typeof params] as { default?: unknown }).default

const tiedTo = (sent: Record<string, unknown>) => ['listAdsPosts', choosing(params).map((name) => sent[name] ?? defaultOf(name) ?? null)]

const { after, pageOf } = pagesBy('id', 'decimal', tiedTo)

interface Wanted {
  accountId: string
  authorId: string
  /** Whether posts for promotion only are listed that the account did not make. */
  isInFull: boolean
  nullcast: boolean | undefined
  replies: boolean
  ids: readonly string[] | undefined
  olderThan: string | undefined
  limit: number
}

const newestFirst = (one: string, other: string) => (BigInt(one) < BigInt(other) ? 1 : -1)

/** Those of some ids that a list has, newest first. */
async function among(content: Content, ids: readonly string[], wanted: Wanted) {
  const { accountId, authorId, isInFull, nullcast, replies, olderThan, limit } = wanted
  const possible = ids.filter((id) => BigInt.asIntN(64, BigInt(id)) === BigInt(id))
  const [rows, ownIds] = await Promise.all([
    content.rows(posts, ['id', 'author_id', 'nullcast', 'reposted_id', 'replied_to_id'], possible),
    madeAmong(possible, accountId, { content }),
  ])
  const listed = rows.filter(
    ([id, author, isNullcast, reposted, replied]) =>
      author === authorId &&
      reposted === null &&
      (replies || replied === null) &&
      (nullcast === undefined || Boolean(isNullcast) === nullcast) &&
      (isInFull || !isNullcast || ownIds.has(id as string)) &&
      (olderThan === undefined || BigInt(id as string) < BigInt(olderThan)),
  )
  return listed
    .map(([id]) => id as string)
    .sort(newestFirst)
    .slice(0, limit)
}

/**
 * The published posts of a page, and its `next_cursor`. The page is cut before its posts are read: one that is deleted meanwhile is left out, and
 * the list goes on.
 */
async function published(content: Content, wanted: Wanted, sent: Sent) {
  const { accountId, authorId, isInFull, nullcast, replies, olderThan, limit } = wanted
  const list: PostList = { of: 'promotable', authorId, nullcast, replies, ...(!isInFull && { madeBy: accountId }) }
  const ids = wanted.ids
    ? await among(content, wanted.ids, wanted)
    : await content.postIds(list, { limit, ...(olderThan !== undefined && { olderThan }) })
  const rows = ids.map((id) => ({ id }))
  const { page, next_cursor } = pageOf(rows, sent)
  const shownIds = page.map(({ id }) => id)
  return { shown: await loadPosts(content, shownIds, accountId), next_cursor }
}

async function scheduled(content: Content, wanted: ScheduledPage, sent: Sent) {
  const { page, next_cursor } = pageOf(await pageOfScheduled(content, wanted), sent)
  return { shown: await loadScheduledAsPosts(content, page), next_cursor }
}

const NULLCAST = { NULLCAST: true, ORGANIC: false, ALL: undefined } as const

export const listAdsPosts = adsEndpoint({
  name: 'listAdsPosts',
  route: 'GET /12/accounts/:account_id/posts',
  section: '§4.7',
  summary: 'List posts of an author that an account can promote, newest first.',
  description:
    'Reposts are left out; of an author who is a promotable user for reposts only, posts for promotion only that another account made, too. ' +
    'Scheduled posts have `scheduled_status` and the id of the scheduled post. The answer is in extended mode. ' +
    '`sort_by`, `with_deleted` and `with_total_count` have no effect.',
  auth: accountMember(),
  params,
  rules: [cursorRule(choosing(params), after)],
  data: listOf(adsPostSchema),
  isList: true,
  async handle({ params: sent, caller }, services: { content: Content; records: Records }) {
    const { count, post_type: type, trim_user: trimUser, timeline_type, include_mentions_and_replies: replies, post_ids: ids } = sent
    const authorId = await authorOfList(caller, sent.user_id, services)
    const { accountId } = caller
    const page = { accountId, authorId, ids, olderThan: after(sent)?.key, limit: count + 1 }
    const wanted = async () => ({
      ...page,
      nullcast: NULLCAST[timeline_type],
      replies,
      isInFull: (await authorsInFull(caller, services)).has(authorId),
    })
    const { shown, next_cursor } =
      type === 'PUBLISHED'
        ? await published(services.content, await wanted(), sent)
        : type === 'SCHEDULED'
          ? await scheduled(services.content, page, sent)
          : { shown: [], next_cursor: null }
    return {
      data: shown.map((post) => presentPost(post, { trimUser, mode: 'extended' })),
      next_cursor,
    }
  },
})
