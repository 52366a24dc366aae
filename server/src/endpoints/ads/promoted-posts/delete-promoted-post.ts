import { accountMember } from '../../../access/account-member.ts'
import { deleteEndpoint } from '../../../api/records/record-endpoints.ts'
import { PromotedPost } from '../resources/promoted-post.ts'

export const deletePromotedPost = deleteEndpoint(PromotedPost, {
  name: 'deletePromotedPost',
  route: 'DELETE /12/accounts/:account_id/promoted_posts/:promoted_post_id',
  section: '§4.8',
  summary: 'Stop promoting a post.',
  auth: accountMember({ changes: 'campaigns' }),
})
