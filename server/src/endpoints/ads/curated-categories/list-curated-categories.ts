import { accountMember } from '../../../access/account-member.ts'
import { adsEndpoint } from '../../../api/ads-endpoint.ts'
import { adsId, letterCode } from '../../../api/ads-words.ts'
import { type After, cursorAfter, cursorRule, readCursor } from '../../../api/cursor.ts'
import { pagingParams } from '../../../api/list-endpoint.ts'
import { commaList, listOf, optional } from '../../../api/words.ts'
import { curatedCategories, curatedCategory } from './curated-categories.ts'

const countryCode = letterCode(2, 'the code of a country', { example: 'US', description: 'Two letters, ISO 3166-1.' })

const BY_NAME = { sort: [{ field: 'name', descending: false }] }

const tiedTo = ({ country_codes }: { country_codes?: unknown }) => ['listCuratedCategories', country_codes]

const after: After = (params) => readCursor(params.cursor, BY_NAME, () => ({ type: 'text', nullable: false }), tiedTo(params))

export const listCuratedCategories = adsEndpoint({
  name: 'listCuratedCategories',
  route: 'GET /12/accounts/:account_id/curated_categories',
  section: '§4.8',
  summary: 'List the curated categories, all of them or those that are available in some countries. `total_count` is always told.',
  description: '`country_codes` may be left out.',
  auth: accountMember(),
  params: { account_id: adsId(), country_codes: optional(commaList(countryCode, { max: 200 })), ...pagingParams() },
  rules: [cursorRule(['country_codes'], after)],
  data: listOf(curatedCategory),
  isList: true,
  async handle({ params }) {
    const { country_codes: wanted, count } = params
    const chosen = curatedCategories.filter(({ country_codes }) => !wanted || country_codes.some((code) => wanted.includes(code)))
    const begin = after(params)
    const rest = chosen.slice(begin ? chosen.findIndex(({ id }) => id === begin.id) + 1 : 0)
    const page = rest.slice(0, count)
    const last = page.at(-1)
    const next_cursor = last && rest.length > count ? cursorAfter(last, BY_NAME, tiedTo(params)) : null
    return { data: page, next_cursor, total_count: chosen.length }
  },
})
