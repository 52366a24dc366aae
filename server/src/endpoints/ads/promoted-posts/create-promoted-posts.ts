import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { commaList } from '../../../api/declare/words.ts'
import { changeAccount, mustGet, mustInsert, type RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { showAll } from '../../../api/records/show.ts'
import type { Ids } from '../../../lib/ids.ts'
import type { Content } from '../../../storage/content.ts'
import type { AccountTransaction } from '../../../storage/records.ts'
import { usable } from '../posts/promotable-posts.ts'
import { promotableUsersOf } from '../posts/promotable-users.ts'
import { LineItem } from '../resources/line-item.ts'
import { PromotedPost } from '../resources/promoted-post.ts'

const MAX_POSTS = 50

const { line_item_id, post_id } = PromotedPost.fields

async function assertNotPromoted(transaction: AccountTransaction, lineItemId: string, postIds: readonly string[]) {
  const promoted = (await transaction.findAmong(PromotedPost, { line_item_id: lineItemId }, 'post_id', postIds)).map(
    ({ post_id }) => post_id,
  )
  if (promoted.length > 0)
    throw adsProblem('INVALID', `Line item ${lineItemId} already promotes these posts: ${promoted.join(', ')}`, 'post_ids')
}

function assertFound(missing: readonly string[]) {
  if (missing.length > 0) throw adsProblem('TWEET_NOT_FOUND', `These posts were not found: ${missing.join(', ')}`, 'post_ids')
}

/** Throws, with the ids, for posts that do not exist or that the account may not promote. */
async function assertPromotable(ids: readonly string[], accountId: string, services: PromoteServices) {
  const authors = new Set((await promotableUsersOf(accountId, services)).map(({ user_id }) => user_id))
  const { unknown, refused } = await usable(ids, accountId, authors, services)
  assertFound(unknown)
  if (refused.length > 0)
    throw adsProblem(
      'INVALID_TWEET',
      `The account may promote neither posts of others than its promotable users, unless it made them, nor reposts: ${refused.join(', ')}`,
      'post_ids',
    )
}

type PromoteServices = RecordServices & { ids: Ids; content: Content }

export const createPromotedPosts = adsEndpoint({
  name: 'createPromotedPosts',
  route: 'POST /12/accounts/:account_id/promoted_posts',
  section: '§4.8',
  summary: 'Promote posts with a line item (atomic: all of them or none).',
  description:
    'A line item can promote a post only once. The posts exist, and the account made them or their authors are its promotable users. The response lists the promoted posts in the order of the ids.',
  auth: accountMember({ changes: 'campaigns' }),
  params: { account_id: adsId(), line_item_id, post_ids: commaList(post_id, { max: MAX_POSTS, example: ['1997712707928100864'] }) },
  data: PromotedPost.list,
  async handle({ params: { line_item_id, post_ids }, caller }, services: PromoteServices) {
    if (!(await services.records.get(LineItem, caller.accountId, line_item_id))) throw LineItem.absent(line_item_id, 'line_item_id')
    await assertPromotable(post_ids, caller.accountId, services)
    const made = await changeAccount(caller, services, async (transaction) => {
      await mustGet(transaction, LineItem, line_item_id, 'line_item_id')
      // Some may have been deleted meanwhile.
      assertFound(await transaction.missingPosts(post_ids))
      await assertNotPromoted(transaction, line_item_id, post_ids)
      const records = []
      for (const post_id of post_ids)
        records.push(await mustInsert(transaction, PromotedPost, { id: services.ids.nextBase36(), line_item_id, post_id }))
      return records
    })
    return { data: await showAll(PromotedPost, made, caller.accountId, services) }
  },
})
