import { signedUserWith } from '../../access/user-with.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { coded } from '../../api/declare/problem.ts'
import { listOf, object, objectId } from '../../api/declare/words.ts'
import type { Content } from '../../storage/content.ts'
import { posts, users } from '../../storage/content-tables.ts'

const common = {
  section: '§2.9',
  auth: signedUserWith('read_write'),
  rateLimit: 50,
  params: { id: objectId({ description: 'The id of a post of the authenticated user.' }) },
  answer: object({ pinned_posts: listOf(objectId()) }),
}

export const pinPost = endpoint({
  ...common,
  name: 'pinPost',
  route: 'POST /1.1/account/pin_post',
  summary: 'Pin a post to the profile of the authenticated user, instead of the one that is pinned.',
  description: 'Only an own post that is no repost can be pinned. A pinned post that is deleted is no longer pinned.',
  async handle({ params, caller: { user } }, { content }: { content: Content }) {
    await content.change(async (transaction) => {
      // The author is locked before the post, as where a post is deleted.
      await transaction.get(users, user.id, ['id'])
      const post = await transaction.get(posts, params.id, ['author_id', 'reposted_id'])
      if (!post) throw coded(144)
      if (post.author_id !== user.id || post.reposted_id !== null) throw coded(220)
      await transaction.update(users, user.id, { pinned_post_id: params.id })
    })
    return { pinned_posts: [params.id] }
  },
})

export const unpinPost = endpoint({
  ...common,
  name: 'unpinPost',
  route: 'POST /1.1/account/unpin_post',
  summary: 'Unpin a post from the profile of the authenticated user.',
  async handle({ params, caller: { user } }, { content }: { content: Content }) {
    const left = await content.change(async (transaction) => {
      const profile = await transaction.get(users, user.id, ['pinned_post_id'])
      if (profile?.pinned_post_id !== params.id) return profile?.pinned_post_id as string | null | undefined
      await transaction.update(users, user.id, { pinned_post_id: null })
      return null
    })
    return { pinned_posts: left ? [left] : [] }
  },
})
