import type { GiveWay } from '../../lib/fair-turns.ts'
import { placeOfField, type RecordRow, recordOfRow } from '../../storage/record-rows.ts'
import { columnsOf, type FieldFilter, type ListQuery, NEWEST_FIRST, type Records, type SortKey } from '../../storage/records.ts'
import type { Caller } from '../declare/auth.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import type { Rule } from '../declare/rules.ts'
import {
  boolean,
  commaList,
  defaulting,
  integer,
  listOf,
  notNull,
  oneOf,
  optional,
  type Params,
  type TSchema,
  text,
} from '../declare/words.ts'
import { type AdsDeclaration, adsEndpoint } from './ads-endpoint.ts'
import { cursorAfter, cursorRule, placeAfter, readCursor } from './cursor.ts'
import type { AnyResource } from './resource.ts'
import { parentsOf } from './show.ts'
import { RecordsAnswer, type ShownRow } from './write-records.ts'

/** The most values that a filter takes. */
const MAX_VALUES = 200

/** A count over all pages comes with the first page alone. */
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

/** The parameters that page every list. */
export const pagingParams = (page: { default: number; max: number } = { default: 200, max: 1000 }) => ({
  count: defaulting(integer({ min: 1, max: page.max }), page.default),
  cursor: optional(text({ description: 'The `next_cursor` of the previous page.' })),
})

const sortBy = (sorts: readonly string[]) =>
  optional(
    commaList(oneOf(sorts.flatMap((field) => [`${field}-asc`, `${field}-desc`])), {
      description: 'Default: newest first. Ties are broken by id.',
    }),
  )

/** The parameters of every list of records that can be sorted by these fields (§4.4). */
export const listParams = (sorts: readonly string[], page?: { default: number; max: number }) => ({
  ...pagingParams(page),
  sort_by: sortBy(sorts),
  with_deleted: optional(boolean()),
  with_total_count: optional(boolean()),
})

const sortKeyOf = (sort: string): SortKey => ({ field: sort.slice(0, sort.lastIndexOf('-')), descending: sort.endsWith('-desc') })

/** The sort keys of `sort_by`; newest first without it. */
export const sortOf = (sort_by: readonly string[] | undefined): SortKey[] => sort_by?.map(sortKeyOf) ?? [NEWEST_FIRST]

/** An endpoint that lists a resource. */
export interface ListEndpoint<in Services = never> extends Endpoint<Services> {
  lists: AnyResource
}

/** The parameters of every list. */
interface ListParams {
  count: number
  sort_by?: string[]
  with_deleted?: boolean
  with_total_count?: boolean
  q?: string
  [parameter: string]: unknown
}

const asListParams = (params: Record<string, unknown>) => params as ListParams

/** What a list is read with besides what was sent; it must follow from the parameters and the caller, on which cursors depend. */
export interface Narrowed {
  scope?: Readonly<Record<string, string>>
  filters?: readonly FieldFilter[]
  /** Another view of the same table, of which the records are. */
  resource?: AnyResource
}

export interface ListDeclaration<C extends Caller, AuthServices, Services = object>
  extends Pick<AdsDeclaration<Params, C, AuthServices, never>, 'name' | 'route' | 'section' | 'summary' | 'description' | 'auth'> {
  /** Parameters besides those of the resource and of every list. */
  params: Params
  page?: { default: number; max: number }
  /** What `data` holds, where it may be records of another view of the table too. */
  data?: TSchema
  /** Whose records are listed: the values of the columns that say so. */
  scopeOf(caller: C): Readonly<Record<string, string>>
  /** Looks up what else narrows the list, or throws for a caller who may not see it. */
  narrow?(params: Readonly<Record<string, unknown>>, caller: C, services: Services): Promise<Narrowed>
}

/** The field of a resource, or its key, without its leave to be null. */
const wordOf = ({ key, keyWord, fields }: AnyResource, field: string) => notNull(field === key ? keyWord : fields[field]!).word

/** The parameters by which lists of a resource are filtered and searched. */
function filterParams(resource: AnyResource): Params {
  const { filters, search } = resource
  const params = Object.entries(filters).map(([parameter, filter]) => [
    parameter,
    'anyOf' in filter
      ? optional(listOf(wordOf(resource, filter.anyOf), { min: 1, max: MAX_VALUES }))
      : optional(wordOf(resource, filter.equals)),
  ])
  return { ...Object.fromEntries(params), ...(search && { q: optional(searchParam(search)) }) }
}

/** The parameter `q`. */
function searchParam(search: NonNullable<AnyResource['search']>) {
  const { max } = search
  if ('prefixOf' in search) return text({ max, description: `Case-insensitive prefix of the ${search.prefixOf}.` })
  const fields = search.termsOf.map((field) => `\`${field}\``).join(', ')
  return text({ max, description: `Case-insensitive prefixes, separated by spaces: each must start a word in one of ${fields}.` })
}

function filtersOf({ filters }: AnyResource, params: ListParams): FieldFilter[] {
  const sent = Object.entries(filters).filter(([parameter]) => params[parameter] !== undefined)
  return sent.map(([parameter, filter]) =>
    'anyOf' in filter ? { field: filter.anyOf, anyOf: params[parameter] as string[] } : { field: filter.equals, equals: params[parameter] },
  )
}

/** So many records are read in one turn of the event loop: 1,000 line items take 6 to 9 ms. */
const AT_ONCE = 256

/** Reads a page, and lets others pass after each part of it. */
async function readRows(resource: AnyResource, query: ListQuery, records: Records, giveWay: GiveWay): Promise<readonly RecordRow[]> {
  const found: RecordRow[] = []
  for (let { after } = query; ; after = placeAfter(recordOfRow(resource, found.at(-1)!), { sort: query.sort, key: resource.key })) {
    const limit = Math.min(query.limit - found.length, AT_ONCE)
    const part = await records.rows(resource, { ...query, after, limit })
    await giveWay()
    found.push(...part)
    if (part.length < limit || found.length === query.limit) return found
  }
}

/** What the rows of a page are shown with: their parents, and what else their fields are computed from. */
export async function shownRows(
  resource: AnyResource,
  rows: readonly RecordRow[],
  scope: Readonly<Record<string, string>>,
  services: { records: Records; now: () => number },
): Promise<(row: RecordRow) => ShownRow> {
  const { childOf, scope: own } = resource
  const parentPlace = childOf && placeOfField(resource, childOf.by).place
  const parentKeyOf = (row: RecordRow) => row[parentPlace ?? 0] as string
  const parents = await parentsOf(resource, rows.map(parentKeyOf), scope[childOf?.parent.scope ?? own]!, services)
  const records = resource.load ? new Map(rows.map((row) => [row, recordOfRow(resource, row)])) : undefined
  const loaded = records && (await resource.load!([...records.values()], scope[own]!, services))
  const nowMs = services.now()
  return (row) => ({ nowMs, parent: parents?.get(parentKeyOf(row)), loaded: loaded?.get(row[0] as string), record: records?.get(row) })
}

/**
 * A list of a resource (§2.4, §4.4): its filters and its search, `count`, `cursor`, `sort_by`, `with_deleted` and `with_total_count`. It pages by
 * key: a deep page costs as much as the first, and inserts between two pages neither skip nor repeat a record.
 */
export function listEndpoint<C extends Caller, AuthServices, Services = object>(
  resource: AnyResource,
  { page, scopeOf, narrow, params: ownParams, data = resource.list, ...declared }: ListDeclaration<C, AuthServices, Services>,
): ListEndpoint<AuthServices & Services & { records: Records; now: () => number }> {
  const columns = columnsOf(resource)
  const params: Params = { ...ownParams, ...filterParams(resource), ...listParams(resource.sortable, page) }
  const queryOf = (sent: ListParams, caller: C) => ({
    scope: { ...scopeOf(caller), ...resource.only },
    sort: sortOf(sent.sort_by),
    withDeleted: sent.with_deleted ?? false,
    filters: filtersOf(resource, sent),
    search: sent.q,
  })
  const ownValues = (sent: ListParams) =>
    Object.entries(ownParams).map(([name, word]) => sent[name] ?? (word as { default?: unknown }).default)
  /** What a cursor is valid for; what narrows the list follows from the endpoint's own parameters. */
  const tiedTo = (sent: ListParams, query: object) => [declared.name, query, ...(narrow ? ownValues(sent) : [])]
  const after = (sent: ListParams, caller: C) => {
    const query = queryOf(sent, caller)
    return readCursor(sent.cursor, query, (field) => columns[field]!, tiedTo(sent, query))
  }
  const endpoint = adsEndpoint({
    ...declared,
    rateLimit: resource.rateLimit,
    rules: [notBothCountAndCursor, cursorRule<C>(choosing(params), (sent, caller) => after(asListParams(sent), caller!))],
    params,
    data,
    isList: true,
    async handle({ params, caller, giveWay }, services: Services & { records: Records; now: () => number }) {
      const sent = asListParams(params)
      const query = queryOf(sent, caller)
      const { resource: view = resource, ...narrowed } = (await narrow?.(params, caller, services)) ?? {}
      const read = { ...query, ...narrowed, filters: [...query.filters, ...(narrowed.filters ?? [])] }
      const wanted = { ...read, after: after(sent, caller), limit: sent.count + 1 }
      const found = await readRows(view, wanted, services.records, giveWay)
      const rows = found.slice(0, sent.count)
      const cursorOf = (row: RecordRow) => cursorAfter(recordOfRow(view, row), { ...query, key: view.key }, tiedTo(sent, query))
      return new RecordsAnswer(view, rows, await shownRows(view, rows, query.scope, services), {
        next_cursor: found.length > rows.length ? cursorOf(rows.at(-1)!) : null,
        ...(sent.with_total_count && { total_count: await services.records.count(view, read) }),
      })
    },
  })
  return { ...endpoint, lists: resource }
}
