import { type RawBuilder, sql } from 'kysely'
import { foldCase } from '../../../lib/text.ts'
import { columnsOf, type FieldFilter, type ListQuery, type OfOthers, type RecordType, type SortKey } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import { searchColumn, wordsOf } from './derived-columns.ts'
import { columnName, columnsRead, storedValue } from './row-codec.ts'

type Condition = RawBuilder<unknown>

const column = (name: string) => sql.ref(`k.${name}`)
const all = (conditions: readonly Condition[]) => (conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`1 = 1`)

/** The table from which lists are read, and its column with the record's key. */
const sourceOf = ({ table, listedFrom, key }: RecordType) => ({ table: listedFrom ?? table, key: listedFrom ? 'account_id' : key })

/** An expression of the order, and its value in the record after which the page begins. */
interface Step {
  by: RawBuilder<unknown>
  value: unknown
  descending: boolean
  isNull: boolean
}

/** A query of a page, with the place after which it begins as it is stored. */
export interface StoredQuery extends Omit<ListQuery, 'after'> {
  place?: { values: readonly unknown[]; key: unknown } | undefined
}

export function storedQuery(recordType: RecordType, { after, ...query }: ListQuery): StoredQuery {
  if (!after) return query
  const values = after.values.map((value, at) => storedValue(recordType, query.sort[at]!.field, value))
  return { ...query, place: { key: after.key, values } }
}

/** The steps of a sort key other than the first. A nullable field has two: whether it is null, then its value. */
function stepsOf(recordType: RecordType, { field, descending }: SortKey, given: unknown): Step[] {
  const by = column(columnName(recordType, field))
  const value = given ?? null
  const step = { by, value, descending, isNull: value === null }
  if (!columnsOf(recordType)[field]!.nullable) return [step]
  return [{ by: sql`case when ${by} is null then 0 else 1 end`, value: value === null ? 0 : 1, descending, isNull: false }, step]
}

const direction = ({ descending }: Step) => sql.raw(descending ? 'desc' : 'asc')
const operator = ({ descending }: Step) => sql.raw(descending ? '<' : '>')
const orderOf = (steps: readonly Step[]) => sql.join(steps.map((step) => sql`${step.by} ${direction(step)}`))

/** The conditions for records after the given values. The first step is also a condition of its own, for the index. */
function after(steps: readonly Step[]): Condition[] {
  const [first] = steps
  if (steps.every(({ descending, isNull }) => !isNull && descending === first!.descending))
    return [sql`(${sql.join(steps.map(({ by }) => by))}) ${operator(first!)} (${sql.join(steps.map(({ value }) => value))})`]
  const same = ({ by, value, isNull }: Step) => (isNull ? sql`${by} is null` : sql`${by} = ${value}`)
  const beyond = (step: Step) => (step.isNull ? sql`1 = 0` : sql`${step.by} ${operator(step)} ${step.value}`)
  const alternatives = steps.map((step, index) => sql`(${all([...steps.slice(0, index).map(same), beyond(step)])})`)
  return [sql`${first!.by} ${operator(first!)}= ${first!.value}`, sql`(${sql.join(alternatives, sql` or `)})`]
}

/** A part of a list that can be read in the order of an index on the first sort key. Lists are read segment by segment until the page is full. */
interface Segment {
  where: Condition[]
  by: RawBuilder<unknown>
}

/** Rows whose first sort key is null are a segment of their own, before all others in ascending order. */
function segmentsOf(recordType: RecordType, { sort, place }: StoredQuery): Segment[] {
  const [{ field, descending }, ...others] = sort as [SortKey, ...SortKey[]]
  const by = column(columnName(recordType, field))
  const value = place?.values[0] ?? null
  const first = { by, value, descending, isNull: false }
  const last = { by: column(sourceOf(recordType).key), value: place?.key, descending: sort.at(-1)!.descending, isNull: false }
  const rest = [...others.flatMap((other, index) => stepsOf(recordType, other, place?.values[index + 1])), last]
  const order = orderOf([first, ...rest])
  if (!columnsOf(recordType)[field]!.nullable) return [{ where: place ? after([first, ...rest]) : [], by: order }]
  const nulls = (continues: boolean): Segment => ({ where: [sql`${by} is null`, ...(continues ? after(rest) : [])], by: order })
  const values = (continues: boolean): Segment => ({
    where: [sql`${by} is not null`, ...(continues ? after([first, ...rest]) : [])],
    by: order,
  })
  if (!place) return descending ? [values(false), nulls(false)] : [nulls(false), values(false)]
  if (value === null) return descending ? [nulls(true)] : [nulls(true), values(false)]
  return descending ? [values(true), nulls(false)] : [values(true)]
}

const LAST_CHARACTER = '\u{10FFFF}'

type Selection = Pick<ListQuery, 'scope' | 'filters' | 'search'>

/** What others hold, as a list of values. */
function valuesOfOthers({ recordType, field, equal }: OfOthers): Condition {
  const held = sql.ref(`other.${columnName(recordType, field)}`)
  const owned = Object.entries(equal).map(([name, value]) => sql`${sql.ref(`other.${columnName(recordType, name)}`)} = ${value}`)
  const where = all([...owned, sql`other.hidden = ${sql.lit(false)}`, sql`owner.hidden = ${sql.lit(false)}`])
  return sql`(select distinct ${held} as value from ${sql.table(recordType.table)} as other
    join accounts as owner on owner.id = other.account_id where ${where}) as wanted`
}

/** A filter as SQL: a column and the list of its values, or a condition. */
type SqlFilter = { column: Condition; values: Condition } | { condition: Condition }

function filterToSql(recordType: RecordType, flavour: Flavour, filter: FieldFilter): SqlFilter {
  const of = column(filter.field === recordType.key ? sourceOf(recordType).key : columnName(recordType, filter.field))
  if ('equals' in filter) return { condition: sql`${of} = ${storedValue(recordType, filter.field, filter.equals)}` }
  if ('ofOthers' in filter) return { column: of, values: valuesOfOthers(filter.ofOthers) }
  return { column: of, values: flavour.values(JSON.stringify([...new Set(filter.anyOf)])) }
}

/** The conditions of a search. A query without letters and digits finds nothing. */
function searchConditions(recordType: RecordType, flavour: Flavour, { search }: Selection): Condition[] {
  const derived = searchColumn(recordType)
  if (search === undefined || !derived || !recordType.search) return []
  const text = column(derived.name)
  if ('prefixOf' in recordType.search) {
    const prefix = foldCase(search)
    return [sql`${text} >= ${prefix} and ${text} < ${prefix + LAST_CHARACTER}`]
  }
  const words = [...new Set(wordsOf(search))]
  return words.length > 0 ? words.map((word) => flavour.contains(text, ` ${word}`)) : [sql`1 = 0`]
}

/** The conditions of the owner, in the table from which the list is read. */
const ownedBy = ({ scope }: Selection) => Object.entries(scope).map(([name, value]) => sql`${column(name)} = ${value}`)

const conditionOf = (filter: SqlFilter) =>
  'condition' in filter ? filter.condition : sql`${filter.column} in (select wanted.value from ${filter.values})`

/** Selects records through the indexes of their filters. */
function select(recordType: RecordType, flavour: Flavour, selection: Selection) {
  const source = sql`${sql.table(sourceOf(recordType).table)} as k`
  const filters = (selection.filters ?? []).map((filter) => filterToSql(recordType, flavour, filter))
  const first = filters.find((filter) => 'values' in filter)
  const others = filters.filter((filter) => filter !== first)
  const where = [...ownedBy(selection), ...others.map(conditionOf), ...searchConditions(recordType, flavour, selection)]
  if (!first) return { from: source, where }
  return { from: sql`${first.values} cross join ${source}`, where: [sql`${first.column} = wanted.value`, ...where] }
}

const visible = (hidden: boolean) => sql`${column('hidden')} = ${sql.lit(hidden)}`

/** A filtered list with fewer records than this is selected by its filters and then sorted. */
const MANY = 10_000

/** Whether the list has a filter or search with an index. */
const isIndexed = ({ search }: RecordType, { filters = [], search: text }: Selection) =>
  filters.length > 0 || (text !== undefined && search !== undefined && 'prefixOf' in search)

/** Finds out whether the filters match many records, which are better read in order. Undefined if there is no need: no filter, or one by key. */
export function manyStatement(recordType: RecordType, flavour: Flavour, selection: Selection): RawBuilder<{ count: number }> | undefined {
  if (!isIndexed(recordType, selection) || selection.filters?.some(({ field }) => field === recordType.key)) return undefined
  const { from, where } = select(recordType, flavour, selection)
  return sql`select count(*) as count from (select 1 as one from ${from} where ${all(where)} limit ${MANY}) as found having count(*) >= ${MANY}`
}

/** A statement of a page. `limit` is how many records are still missing, or what stands for that in a statement that is kept. */
type PageStatement = (limit: unknown) => RawBuilder<unknown>

/** The columns of a record, and the join that they need. */
interface Projection {
  columns: RawBuilder<unknown>
  join: RawBuilder<unknown>
}

function projectionOf(recordType: RecordType, flavour: Flavour): Projection {
  const join = recordType.listedFrom
    ? sql`join ${sql.table(recordType.table)} as t on ${sql.ref(`t.${recordType.key}`)} = ${column(sourceOf(recordType).key)}`
    : sql``
  return { columns: columnsRead(recordType, flavour, recordType.listedFrom ? 't.' : 'k.'), join }
}

/** For few records: the filters select them, then they are sorted. */
function sortedSelection(recordType: RecordType, flavour: Flavour, query: StoredQuery): PageStatement[] {
  const { columns, join } = projectionOf(recordType, flavour)
  const { from, where } = select(recordType, flavour, query)
  const shown = query.withDeleted ? [] : [visible(false)]
  return segmentsOf(recordType, query).map(
    (segment) => (limit) =>
      sql`with chosen as materialized (select k.* from ${from} where ${all(where)})
        select ${columns} from chosen as k ${join} where ${all([...shown, ...segment.where])} order by ${segment.by} limit ${limit}`,
  )
}

/**
 * For many records: they are read in order from the index of the first sort key. Hidden and visible ones are read separately and merged.
 * Filters are checked for each record, in a form for which the planner uses no index.
 */
function inOrder(recordType: RecordType, flavour: Flavour, query: StoredQuery): PageStatement[] {
  const { columns, join } = projectionOf(recordType, flavour)
  const filters = (query.filters ?? []).map((filter) => conditionOf(filterToSql(recordType, flavour, filter)))
  const where = [
    ...ownedBy(query),
    ...[...filters, ...searchConditions(recordType, flavour, query)].map((filter) => sql`(${filter}) is true`),
  ]
  const within = (selected: RawBuilder<unknown>, segment: Segment, hidden: boolean, limit: unknown) =>
    sql`select ${selected} from ${sql.table(sourceOf(recordType).table)} as k where ${all([...where, visible(hidden), ...segment.where])} order by ${segment.by} limit ${limit}`
  const everything = sql`k.*`
  return segmentsOf(recordType, query).map((segment) => (limit) => {
    if (!query.withDeleted && !recordType.listedFrom) return within(columns, segment, false, limit)
    const shownPage = within(everything, segment, false, limit)
    const pages = query.withDeleted
      ? sql`select * from (${shownPage}) as shown union all select * from (${within(everything, segment, true, limit)}) as hidden`
      : shownPage
    return sql`select ${columns} from (${pages}) as k ${join} order by ${segment.by} limit ${limit}`
  })
}

/** The statements of a page, to be run in order until it is full. `leavesMany` is the result of `manyStatement`. */
export function pageStatements(recordType: RecordType, flavour: Flavour, query: ListQuery, leavesMany = false): PageStatement[] {
  const stored = storedQuery(recordType, query)
  return isIndexed(recordType, query) && !leavesMany ? sortedSelection(recordType, flavour, stored) : inOrder(recordType, flavour, stored)
}

/** The same for a query without filters and search. */
export const plainPageStatements = inOrder

/** Counts the records of a list. */
export function countStatement(
  recordType: RecordType,
  flavour: Flavour,
  query: Pick<ListQuery, 'scope' | 'withDeleted' | 'filters' | 'search'>,
): RawBuilder<{ count: number }> {
  const { from, where } = select(recordType, flavour, query)
  return sql`select count(*) as count from ${from} where ${all([...where, ...(query.withDeleted ? [] : [visible(false)])])}`
}
