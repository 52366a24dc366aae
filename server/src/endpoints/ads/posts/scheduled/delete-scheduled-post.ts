import { accountMember } from '../../../../access/account-member.ts'
import { adsId, decimalId } from '../../../../api/declare/ads-words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import type { Content } from '../../../../storage/content.ts'
import { scheduledPosts } from '../../../../storage/content-tables.ts'
import type { Records } from '../../../../storage/records.ts'
import { assertMayPostAs } from '../promotable-users.ts'
import { lockScheduledPost, ownScheduledPost } from './own-scheduled-post.ts'
import { presentScheduled, type ScheduledPost, scheduledPostSchema, scheduledRow } from './scheduled-post.ts'

interface DeleteServices {
  content: Content
  records: Records
  now: () => number
}

export const deleteScheduledPost = adsEndpoint({
  name: 'deleteScheduledPost',
  route: 'DELETE /12/accounts/:account_id/scheduled_posts/:scheduled_post_id',
  section: '§4.7',
  summary: 'Delete a scheduled post before its time. It is not published.',
  description: 'Takes the same permission as to create it.',
  auth: accountMember({ changes: 'posts' }),
  params: { account_id: adsId(), scheduled_post_id: decimalId() },
  data: scheduledPostSchema,
  async handle({ params: { scheduled_post_id: id }, caller }, services: DeleteServices) {
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
