import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { listEndpoint } from '../../../api/records/list-endpoint.ts'
import { PromotedPost } from '../resources/promoted-post.ts'

export const listPromotedPosts = listEndpoint(PromotedPost, {
  name: 'listPromotedPosts',
  route: 'GET /12/accounts/:account_id/promoted_posts',
  section: '§4.8',
  summary: 'List the promoted posts of an account.',
  auth: accountMember(),
  params: { account_id: adsId() },
  ids: { promoted_post_ids: 'id', line_item_ids: 'line_item_id' },
  scopeOf: ({ accountId }) => ({ account_id: accountId }),
})
