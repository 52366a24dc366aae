import { accountMember, type MemberCaller } from '../../../access/account-member.ts'
import { adsId, decimalId } from '../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { boolean, defaulting, nullable, text } from '../../../api/declare/words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import type { Content } from '../../../storage/content.ts'
import { adsPosts, posts } from '../../../storage/content-tables.ts'
import type { Records } from '../../../storage/records.ts'
import { adsPostSchema, presentPost } from './ads-post.ts'
import { loadPosts } from './load-posts.ts'
import { promotable } from './promotable-posts.ts'

interface RenameServices {
  content: Content
  records: Records
}

const notFound = (id: string) => adsProblem('TWEET_NOT_FOUND', `Post ${id} was not found`, 'post_id')

/** Throws 404 for a post that does not exist, or that the account may not promote and the caller did not write. */
async function assertOfAccount(id: string, { accountId, user }: MemberCaller, services: RenameServices) {
  const { unknown, refused } = await promotable([id], accountId, services, user.id)
  if (unknown.length > 0 || refused.length > 0) throw notFound(id)
}

/** Gives a post a name, or takes it away. The row is made where the advertising API knows nothing of the post yet. */
const rename = (content: Content, id: string, name: string | null) =>
  content.change(async (transaction) => {
    if (!(await transaction.keep(posts, id, ['id']))) throw notFound(id)
    const isNew = await transaction.insert(adsPosts, { post_id: id, account_id: null, name, scheduled_at_ms: null, video: null })
    if (!isNew) await transaction.update(adsPosts, id, { name })
  })

export const renamePost = adsEndpoint({
  name: 'renamePost',
  route: 'PUT /12/accounts/:account_id/posts/:post_id/name',
  section: '§4.7',
  summary: 'Name a post.',
  description:
    'Any post that the account made, or that it may promote, or of the authenticated user. Advertisers see the name, readers of the post do not. ' +
    'An empty name removes it. The answer is in extended mode.',
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
    await rename(services.content, id, name)
    const [renamed] = await loadPosts(services.content, [id])
    if (!renamed) throw notFound(id)
    return { data: presentPost(renamed, { trimUser, mode: 'extended' }) }
  },
})
