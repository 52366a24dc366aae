import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { curatedCategory, curatedCategoryWithId } from './curated-categories.ts'

export const getCuratedCategory = adsEndpoint({
  name: 'getCuratedCategory',
  route: 'GET /12/accounts/:account_id/curated_categories/:curated_category_id',
  section: '§4.8',
  summary: 'Get a curated category.',
  auth: accountMember(),
  params: { account_id: adsId(), curated_category_id: adsId({ example: '9ddrgesiap6o' }) },
  data: curatedCategory,
  async handle({ params: { curated_category_id: id } }) {
    const data = curatedCategoryWithId(id)
    if (!data) throw adsProblem('NOT_FOUND', `Curated category ${id} was not found`)
    return { data }
  },
})
