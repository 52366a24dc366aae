import { accountMember } from '../../../../access/account-member.ts'
import { adsId, adsTime } from '../../../../api/declare/ads-words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import { scheduledPosts } from '../../../../storage/content-tables.ts'
import { assertUsable, type MakeServices } from '../make-post.ts'
import { asUserId, contentParams, contentRules } from '../post-params.ts'
import { assertMayPostAs } from '../promotable-users.ts'
import { videoOf } from '../video.ts'
import { atMinute } from './scheduled-at.ts'
import { presentScheduled, type ScheduledPost, scheduledPostSchema, scheduledRow } from './scheduled-post.ts'

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
