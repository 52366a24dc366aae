import { accountMember } from '../../../../access/account-member.ts'
import { adsId, decimalId } from '../../../../api/declare/ads-words.ts'
import { listOf } from '../../../../api/declare/words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import { type After, cursorAfter, cursorRule, readCursor } from '../../../../api/records/cursor.ts'
import { choosing, pagingParams } from '../../../../api/records/list-endpoint.ts'
import type { Content } from '../../../../storage/content.ts'
import type { Records } from '../../../../storage/records.ts'
import { listedAuthor } from '../post-params.ts'
import { authorOfList } from '../promotable-users.ts'
import { ownScheduledPost } from './own-scheduled-post.ts'
import { pageOfScheduled } from './scheduled-lists.ts'
import { presentScheduled, scheduledPostSchema } from './scheduled-post.ts'

const BY_ID = { sort: [{ field: 'id', descending: true }] }

const params = {
  account_id: adsId(),
  user_id: listedAuthor,
  ...pagingParams({ default: 100, max: 200 }),
}

const tiedTo = ({ account_id, user_id }: Record<string, unknown>) => ['listScheduledPosts', account_id, user_id ?? null]

const after: After = (sent) => readCursor(sent.cursor, BY_ID, () => ({ type: 'text', nullable: false }), tiedTo(sent))

export const listScheduledPosts = adsEndpoint({
  name: 'listScheduledPosts',
  route: 'GET /12/accounts/:account_id/scheduled_posts',
  section: '§4.7',
  summary: 'List the scheduled posts of an account by one author, newest first.',
  description:
    'Those that are published and those that failed stay in the list; deleted ones do not. `sort_by`, `with_deleted` and `with_total_count` have no effect.',
  auth: accountMember(),
  params,
  rules: [cursorRule(choosing(params), after)],
  data: listOf(scheduledPostSchema),
  isList: true,
  async handle({ params: sent, caller }, services: { content: Content; records: Records }) {
    const authorId = await authorOfList(caller, sent.user_id, services)
    const page = { accountId: caller.accountId, authorId, olderThan: after(sent)?.key, limit: sent.count + 1 }
    const found = await pageOfScheduled(services.content, page)
    const shown = found.slice(0, sent.count)
    const last = found.length > sent.count ? shown.at(-1) : undefined
    return { data: shown.map(presentScheduled), next_cursor: last ? cursorAfter({ id: last.id }, BY_ID, tiedTo(sent)) : null }
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
  async handle({ params: { scheduled_post_id: id }, caller }, services: { content: Content; records: Records }) {
    return { data: presentScheduled(await ownScheduledPost(id, caller, services)) }
  },
})
