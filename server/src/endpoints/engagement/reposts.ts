import { forbidden } from '../../api/declare/problem.ts'
import { objectId, optional } from '../../api/declare/words.ts'
import type { Outbox } from '../../delivery/outbox.ts'
import type { Ids } from '../../lib/ids.ts'
import type { Content } from '../../storage/content.ts'
import { users } from '../../storage/content-tables.ts'
import { lockActingUser } from '../posts/acting-user.ts'
import { type NewPost, surroundingsOf } from '../posts/new-post.ts'
import { announcementsOfPost } from '../posts/post-events.ts'
import { removeOwnPost } from '../posts/remove-own-post.ts'
import { repostText } from '../posts/repost-text.ts'
import { storePost } from '../posts/store-post.ts'
import { storedPost } from '../posts/stored-post.ts'
import { expectVisiblePost } from '../posts/visible-post.ts'
import { aPost } from './relation-target.ts'
import { targetPost } from './target-post.ts'
import { userAction } from './user-action.ts'

interface RepostServices {
  content: Content
  outbox: Outbox
  ids: Ids
  now: () => number
}

const GONE = 'You attempted to repost a post that is deleted or not visible to you.'
const PROTECTED = 'You cannot repost a post of a protected user.'

/** Stores a repost, unless the user has one of the post; the id of the one that there is. */
async function storeRepost(repost: NewPost & { repostedId: string }, { content, outbox }: RepostServices): Promise<string> {
  const surroundings = await surroundingsOf(repost, content)
  const events = announcementsOfPost(repost, surroundings)
  return outbox.change(events, async (transaction, announce) => {
    await lockActingUser(transaction, repost.authorId)
    const existing = await transaction.repostBy(repost.authorId, repost.repostedId)
    if (existing !== undefined) return existing
    await expectVisiblePost(transaction, repost.authorId, repost.repostedId, GONE)
    await storePost(transaction, repost, surroundings)
    await announce(events)
    return repost.id
  })
}

export const { create: repostPost, remove: removeRepost } = userAction<RepostServices>({
  create: {
    name: 'repostPost',
    summary: 'Repost a post.',
    description:
      'A repost is a post of the user whose text begins with `RT @`. There is one of each user and post. `post.create` is published, and `post.repost.create` for the author of the original.',
  },
  remove: { name: 'removeRepost', summary: 'Remove the repost of a post.' },
  path: 'reposts',
  target: 'post_id',
  removal: { target: 'source_post_id' },
  done: 'reposted',
  more: { id: optional(objectId()) },
  scopes: ['post.read', 'post.write', 'users.read'],
  async act({ caller: { user, app }, targetId }, services) {
    const { content, ids, now } = services
    const post = await targetPost(content, user.id, targetId, GONE)
    const [author] = await content.rows(users, ['username', 'protected'], [post.authorId])
    if (author?.[1] && post.authorId !== user.id) throw forbidden(PROTECTED)
    const repost = {
      id: ids.next(),
      authorId: user.id,
      text: repostText(author?.[0] as string, post.text),
      createdAtMs: now(),
      source: app.name,
      lang: post.lang,
      repostedId: post.id,
    }
    return { reposted: true, id: await storeRepost(repost, services) }
  },
  async undo({ caller: { user }, targetId }, services) {
    const { content } = services
    const postId = await aPost.storedId(content, targetId)
    const [repostId] = await content.postIds({ of: 'reposts', postId, authorId: user.id }, { limit: 1 })
    const repost = repostId === undefined ? undefined : await storedPost(content, repostId)
    if (repost) await removeOwnPost(services, repost)
  },
})
