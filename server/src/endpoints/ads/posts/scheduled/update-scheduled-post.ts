import { accountMember } from '../../../../access/account-member.ts'
import { adsId, adsTime, decimalId } from '../../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../../api/declare/problem.ts'
import { boolean, nullable, optional } from '../../../../api/declare/words.ts'
import { adsEndpoint } from '../../../../api/records/ads-endpoint.ts'
import { scheduledPosts } from '../../../../storage/content-tables.ts'
import { assertUsable, type MakeServices } from '../make-post.ts'
import { changeRules, contentParams } from '../post-params.ts'
import { assertMayPostAs } from '../promotable-users.ts'
import { lockScheduledPost, ownScheduledPost } from './own-scheduled-post.ts'
import { atMinute } from './scheduled-at.ts'
import { presentScheduled, type ScheduledPost, scheduledPostSchema, scheduledRow } from './scheduled-post.ts'

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

/** A scheduled post with what was sent of it; null takes a value away. */
function changed(post: ScheduledPost, sent: Sent, callerId: string, nowMs: number): ScheduledPost {
  const { text = post.text, name = post.name, nullcast = post.nullcast, scheduled_at: at } = sent
  return {
    ...post,
    text,
    name,
    nullcast,
    updatedAtMs: nowMs,
    creatorId: sent.media_keys ? callerId : post.creatorId,
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
    const wanted = changed(await ownScheduledPost(id, caller, services), sent, user.id, nowMs)
    assertNotBlank(wanted)
    assertHasVideo(wanted)
    await assertMayPostAs(caller, wanted.authorId, wanted.nullcast, services, 'scheduled_post_id')
    await assertUsable(wanted, wanted.creatorId, services)
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
