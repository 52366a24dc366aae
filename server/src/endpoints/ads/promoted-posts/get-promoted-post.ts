import { accountMember } from '../../../access/account-member.ts'
import { getEndpoint } from '../../../api/records/record-endpoints.ts'
import { PromotedPost } from '../resources/promoted-post.ts'

export const getPromotedPost = getEndpoint(PromotedPost, {
  name: 'getPromotedPost',
  route: 'GET /12/accounts/:account_id/promoted_posts/:promoted_post_id',
  section: '§4.8',
  summary: 'Get a promoted post.',
  auth: accountMember(),
})
