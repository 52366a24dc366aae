import { accountMember, type MemberCaller } from '../../../access/account-member.ts'
import { adsId, countryCode } from '../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { commaList, listOf, optional } from '../../../api/declare/words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { type After, cursorAfter, cursorRule, readCursor } from '../../../api/records/cursor.ts'
import { choosing, listParams, notBothCountAndCursor, sortOf } from '../../../api/records/list-endpoint.ts'
import type { ListQuery, SortKey } from '../../../storage/records.ts'
import { curatedCategories, curatedCategory, curatedCategoryWithId } from './curated-categories.ts'

type Row = { id: string } & Record<string, unknown>

const compare = (one: unknown, other: unknown) => (one === other ? 0 : (one as string) < (other as string) ? -1 : 1)

/** The id is the last key, in the direction of the one before. */
function inOrder(sort: readonly SortKey[]) {
  const keys = [...sort, { field: 'id', descending: sort.at(-1)!.descending }]
  return (one: Row, other: Row) => {
    for (const { field, descending } of keys) {
      const order = compare(one[field], other[field])
      if (order !== 0) return descending ? -order : order
    }
    return 0
  }
}

/** A page of few rows that are built in, as lists of records are paged (§4.4), and whether more follow. */
function builtInPage<R extends Row>(rows: readonly R[], { sort, after, limit }: Pick<ListQuery, 'sort' | 'after' | 'limit'>) {
  const sorted = rows.toSorted(inOrder(sort))
  const begin = after ? sorted.findIndex(({ id }) => id === after.key) + 1 : 0
  return { page: sorted.slice(begin, begin + limit), hasMore: begin + limit < sorted.length }
}

const filters = {
  country_codes: optional(commaList(countryCode({ description: 'Two letters, ISO 3166-1.' }), { max: 200 })),
  ...listParams(['name', 'created_at', 'updated_at']),
}

interface Query {
  country_codes?: string[]
  sort_by?: string[]
  with_deleted?: boolean
}

const queryOf = ({ country_codes, sort_by, with_deleted = false }: Query, { accountId }: MemberCaller) => {
  const sort = sortOf(sort_by)
  return { sort, tiedTo: ['listCuratedCategories', accountId, country_codes, sort, with_deleted] }
}

const after: After = (params, caller) => {
  const { sort, tiedTo } = queryOf(params, caller as MemberCaller)
  return readCursor(params.cursor, { sort }, () => ({ type: 'text', nullable: false }), tiedTo)
}

export const listCuratedCategories = adsEndpoint({
  name: 'listCuratedCategories',
  route: 'GET /12/accounts/:account_id/curated_categories',
  section: '§4.8',
  summary: 'List the curated categories, all of them or those that are available in some countries. The response always has `total_count`.',
  description: '`country_codes` is optional. Curated categories are never deleted.',
  auth: accountMember(),
  params: { account_id: adsId(), ...filters },
  rules: [notBothCountAndCursor, cursorRule(choosing(filters), after)],
  data: listOf(curatedCategory),
  isList: true,
  async handle({ params, caller }) {
    const { country_codes: codes, count } = params
    const available = curatedCategories.filter(({ country_codes }) => !codes || country_codes.some((code) => codes.includes(code)))
    const { sort, tiedTo } = queryOf(params, caller)
    const { page, hasMore } = builtInPage(available, { sort, after: after(params, caller), limit: count })
    return { data: page, next_cursor: hasMore ? cursorAfter(page.at(-1)!, { sort }, tiedTo) : null, total_count: available.length }
  },
})

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
