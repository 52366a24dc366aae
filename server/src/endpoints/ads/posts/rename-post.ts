import { accountMember, type MemberCaller } from '../../../access/account-member.ts'
import { adsId, decimalId } from '../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { boolean, defaulting, nullable, text } from '../../../api/declare/words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import type { Content } from '../../../storage/content.ts'
import { adsPostKey, adsPosts, posts } from '../../../storage/content-tables.ts'
import type { Records } from '../../../storage/records.ts'
import { adsPostSchema, presentPost } from './ads-post.ts'
import { loadPosts } from './load-posts.ts'
import { usable } from './promotable-posts.ts'
import { authorsInFull } from './promotable-users.ts'

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
