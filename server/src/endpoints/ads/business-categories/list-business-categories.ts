import { adsUser } from '../../../access/ads-user.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { listOf, object, text } from '../../../api/declare/words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { businessCategories } from './business-categories.ts'

export const listBusinessCategories = adsEndpoint({
  name: 'listBusinessCategories',
  route: 'GET /12/advertiser_business_categories',
  section: '§4.8',
  summary: 'List the business categories that a line item with the objective `PREROLL_VIEWS` can have.',
  auth: adsUser,
  params: {},
  data: listOf(object({ id: adsId(), name: text(), iab_categories: listOf(text()) })),
  isList: true,
  async handle() {
    return { data: businessCategories, next_cursor: null }
  },
})
