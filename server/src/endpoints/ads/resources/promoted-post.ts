import { adsId, decimalId } from '../../../api/declare/ads-words.ts'
import { oneOf } from '../../../api/declare/words.ts'
import { resource } from '../../../api/records/resource.ts'
import { regularEndpoints } from '../regular-endpoints.ts'
import { LineItem } from './line-item.ts'

/** A post that a line item promotes. */
export const PromotedPost = resource({
  title: 'Promoted post',
  name: 'promoted_posts',
  notFound: 'PROMOTED_TWEET_NOT_FOUND',
  rateLimit: 'core',
  history: 'PROMOTED_TWEET',
  childOf: { parent: LineItem, by: 'line_item_id' },
  filters: { promoted_post_ids: { anyOf: 'id' }, line_item_ids: { anyOf: 'line_item_id' } },
  defaults: { entity_status: 'ACTIVE', approval_status: 'ACCEPTED' },
  fields: {
    line_item_id: adsId(),
    post_id: decimalId(),
    entity_status: oneOf(['ACTIVE', 'PAUSED']),
    approval_status: oneOf(['ACCEPTED', 'REJECTED', 'UNDER_REVIEW']),
  },
})

export const { listPromotedPosts, getPromotedPost, deletePromotedPost } = regularEndpoints(PromotedPost, {
  route: '/12/accounts/:account_id/promoted_posts',
  section: '§4.8',
  changes: 'campaigns',
  delete: { summary: 'Stop promoting a post.' },
})
