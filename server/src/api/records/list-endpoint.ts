import { columnsOf, type ListQuery, NEWEST_FIRST, type Records, type SortKey } from '../../storage/records.ts'
import { adsIds } from '../declare/ads-words.ts'
import type { Caller } from '../declare/auth.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import type { Rule } from '../declare/rules.ts'
import { boolean, commaList, defaulting, integer, oneOf, optional, type Params, text } from '../declare/words.ts'
import { type AdsDeclaration, adsEndpoint } from './ads-endpoint.ts'
import { type After, cursorAfter, cursorRule, readCursor } from './cursor.ts'
import type { AnyResource } from './resource.ts'
import { showAll } from './show.ts'

const MOST_IDS = 200

/** A count over all pages is asked for with the first. */
export const notBothCountAndCursor: Rule = {
  message: '`cursor` and `with_total_count` are exclusive parameters',
  parameters: ['cursor', 'with_total_count'],
  code: 'EXCLUSIVE_PARAMETERS',
  holds: ({ cursor, with_total_count }) => cursor === undefined || with_total_count !== true,
}

/** Parameters that a cursor does not depend on. */
const OF_A_PAGE = ['count', 'cursor', 'with_total_count']

/** The parameters that a cursor depends on. */
export const choosing = (params: object): string[] => Object.keys(params).filter((name) => !OF_A_PAGE.includes(name))

/** The parameters by which a list is paged, besides those of its records. */
export const pagingParams = (page: { default: number; max: number } = { default: 200, max: 1000 }) => ({
  count: defaulting(integer({ min: 1, max: page.max }), page.default),
  cursor: optional(text({ description: 'The `next_cursor` of the page before.' })),
})

const sortBy = (sorts: readonly string[]) =>
  optional(
    commaList(oneOf(sorts.flatMap((field) => [`${field}-asc`, `${field}-desc`])), {
      description: 'Newest first by default. The id is the last key; `-desc` is `-asc` backwards.',
    }),
  )

/** The parameters that every list of what can be sorted by these fields has (§4.4). */
export const listParams = (sorts: readonly string[], page?: { default: number; max: number }) => ({
  ...pagingParams(page),
  sort_by: sortBy(sorts),
  with_deleted: optional(boolean()),
  with_total_count: optional(boolean()),
})

const keyOf = (sort: string): SortKey => ({ field: sort.slice(0, sort.lastIndexOf('-')), descending: sort.endsWith('-desc') })

/** The keys of `sort_by`, or those that a list has without. */
export const sortOf = (sort_by: readonly string[] | undefined): SortKey[] => sort_by?.map(keyOf) ?? [NEWEST_FIRST]

/** An endpoint that lists a resource. */
export interface ListEndpoint<in Services = never> extends Endpoint<Services> {
  /** What it lists, and its filters by ids: the parameter, and the field that it is compared with. */
  lists: { resource: AnyResource; ids: Readonly<Record<string, string>> }
}

/** What a list is asked, besides whose it is. */
interface Asked {
  count: number
  cursor?: string
  sort_by?: string[]
  with_deleted?: boolean
  with_total_count?: boolean
  q?: string
  [filter: string]: unknown
}

export interface ListDeclaration<C extends Caller, AuthServices>
  extends Pick<AdsDeclaration<Params, C, AuthServices, never>, 'name' | 'route' | 'section' | 'summary' | 'description' | 'auth'> {
  params: Params
  page?: { default: number; max: number }
  /** Filters by a list of ids: the parameter, and the field that it is compared with. */
  ids?: Readonly<Record<string, string>>
  /** The longest beginning of a name that `q` may be; without, there is no `q`. */
  longestPrefix?: number
  /** Whose records are listed: the values of the columns that say so. */
  scopeOf(caller: C): Readonly<Record<string, string>>
}

const queryOf = (asked: Asked, ids: Readonly<Record<string, string>>, scope: ListQuery['scope']) => ({
  scope,
  sort: sortOf(asked.sort_by),
  withDeleted: asked.with_deleted ?? false,
  oneOf: Object.entries(ids)
    .filter(([parameter]) => asked[parameter] !== undefined)
    .map(([parameter, field]) => ({ field, values: asked[parameter] as string[] })),
  namePrefix: asked.q,
})

/**
 * A list of a resource (§4.4): `count`, `cursor`, `sort_by`, `with_deleted` and `with_total_count` come with every one. It pages by key, so
 * that a page far in costs what the first costs, and what is made meanwhile is neither skipped nor repeated.
 */
export function listEndpoint<C extends Caller, AuthServices>(
  listed: AnyResource,
  { page, ids = {}, longestPrefix, scopeOf, params, ...declared }: ListDeclaration<C, AuthServices>,
): ListEndpoint<AuthServices & { records: Records; now: () => number }> {
  const filters = Object.fromEntries(Object.keys(ids).map((parameter) => [parameter, optional(adsIds(MOST_IDS))]))
  const q = optional(text({ max: longestPrefix, description: 'The beginning of the name, in either case.' }))
  const columns = columnsOf(listed)
  const queryFor = (params: unknown, caller: unknown) => queryOf(params as Asked, ids, scopeOf(caller as C))
  const after: After = (params, caller) => {
    const query = queryFor(params, caller)
    return readCursor(params.cursor, query, (field) => columns[field]!, [declared.name, query])
  }
  const all = {
    ...params,
    ...filters,
    ...(longestPrefix !== undefined && { q }),
    ...listParams(listed.sortable, page),
  }
  const endpoint = adsEndpoint({
    ...declared,
    rules: [notBothCountAndCursor, cursorRule(choosing(all), after)],
    params: all as Params,
    data: listed.list,
    isList: true,
    async handle({ params, caller }, services: { records: Records; now: () => number }) {
      const asked = params as unknown as Asked
      const query = queryFor(asked, caller)
      const records = await services.records.list(listed, { ...query, after: after(asked, caller), limit: asked.count + 1 })
      const hasMore = records.length > asked.count
      if (hasMore) records.pop()
      return {
        data: await showAll(listed, records, query.scope[listed.childOf?.parent.scope ?? listed.scope]!, services),
        next_cursor: hasMore ? cursorAfter(records.at(-1)!, query, [declared.name, query]) : null,
        ...(asked.with_total_count && { total_count: await services.records.count(listed, query) }),
      }
    },
  })
  return { ...endpoint, lists: { resource: listed, ids } } as never
}
