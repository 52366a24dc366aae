import { type RawBuilder, sql } from 'kysely'
import { foldCase } from '../../../lib/text.ts'
import type { FieldFilter, ListQuery, RecordType } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import { searchColumn, wordsOf } from './derived-columns.ts'
import { all, type Condition, column, type Segment, segmentsOf, sourceOf } from './list-order.ts'
import { columnName, columnsRead, storedValue } from './row-codec.ts'

const HIGHEST = '\u{10FFFF}'

type Choice = Pick<ListQuery, 'scope' | 'filters' | 'search'>

/** What a filter asks of a record. */
type Asked = { column: Condition; values: Condition } | { holds: Condition }

function asked(kind: RecordType, flavour: Flavour, filter: FieldFilter): Asked {
  const of = column(filter.field === kind.key ? sourceOf(kind).key : columnName(kind, filter.field))
  if ('equals' in filter) return { holds: sql`${of} = ${storedValue(kind, filter.field, filter.equals)}` }
  return { column: of, values: flavour.values(JSON.stringify([...new Set(filter.anyOf)])) }
}

/** What a search asks of a record. Terms without a letter or a digit find nothing. */
function searched(kind: RecordType, flavour: Flavour, { search }: Choice): Condition[] {
  const derived = searchColumn(kind)
  if (search === undefined || !derived || !kind.search) return []
  const text = column(derived.name)
  if ('prefixOf' in kind.search) {
    const prefix = foldCase(search)
    return [sql`${text} >= ${prefix} and ${text} < ${prefix + HIGHEST}`]
  }
  const words = [...new Set(wordsOf(search))]
  return words.length > 0 ? words.map((word) => flavour.contains(text, ` ${word}`)) : [sql`1 = 0`]
}

/** Whose records they are, in the table that has the sort keys. */
const ownedBy = ({ scope }: Choice) => Object.entries(scope).map(([name, value]) => sql`${column(name)} = ${value}`)

const conditionOf = (filter: Asked) =>
  'holds' in filter ? filter.holds : sql`${filter.column} in (select wanted.value from ${filter.values})`

/** Records chosen by the indexes of what they are filtered by. */
function chosen(kind: RecordType, flavour: Flavour, choice: Choice) {
  const source = sql`${sql.table(sourceOf(kind).table)} as k`
  const filters = (choice.filters ?? []).map((filter) => asked(kind, flavour, filter))
  const first = filters.find((filter) => 'values' in filter)
  const others = filters.filter((filter) => filter !== first)
  const where = [...ownedBy(choice), ...others.map(conditionOf), ...searched(kind, flavour, choice)]
  if (!first) return { from: source, where }
  return { from: sql`${first.values} cross join ${source}`, where: [sql`${first.column} = wanted.value`, ...where] }
}

const visible = (hidden: boolean) => sql`${column('hidden')} = ${sql.lit(hidden)}`

/** A list with fewer records than this is collected and ordered. */
const MANY = 10_000

/** Whether an index answers what is asked: a filter, or a search by prefix. */
const isIndexed = ({ search }: RecordType, { filters = [], search: text }: Choice) =>
  filters.length > 0 || (text !== undefined && search !== undefined && 'prefixOf' in search)

/** Asks whether filters leave many records, which are better read in order; undefined where that needs no asking: a key leaves one. */
export function manyStatement(kind: RecordType, flavour: Flavour, choice: Choice): RawBuilder<{ count: number }> | undefined {
  if (!isIndexed(kind, choice) || choice.filters?.some(({ field }) => field === kind.key)) return undefined
  const { from, where } = chosen(kind, flavour, choice)
  return sql`select count(*) as count from (select 1 as one from ${from} where ${all(where)} limit ${MANY}) as found having count(*) >= ${MANY}`
}

/** A statement of a page; `limit` is how many records are still missing. */
type PageStatement = (limit: number) => RawBuilder<unknown>

/** The columns of a record, and the join that they take. */
interface Reading {
  columns: RawBuilder<unknown>
  join: RawBuilder<unknown>
}

function readingOf(kind: RecordType, flavour: Flavour): Reading {
  const join = kind.listedFrom
    ? sql`join ${sql.table(kind.table)} as t on ${sql.ref(`t.${kind.key}`)} = ${column(sourceOf(kind).key)}`
    : sql``
  return { columns: columnsRead(kind, flavour, kind.listedFrom ? 't.' : 'k.'), join }
}

/** Few records: the filters choose them, then they are sorted. */
function collected(kind: RecordType, flavour: Flavour, query: ListQuery): PageStatement[] {
  const { columns, join } = readingOf(kind, flavour)
  const { from, where } = chosen(kind, flavour, query)
  const shown = query.withDeleted ? [] : [visible(false)]
  return segmentsOf(kind, query).map(
    (segment) => (limit) =>
      sql`with chosen as materialized (select k.* from ${from} where ${all(where)})
        select ${columns} from chosen as k ${join} where ${all([...shown, ...segment.where])} order by ${segment.by} limit ${limit}`,
  )
}

/**
 * Many records: they are read in order from the index of the first sort key, hidden ones apart from the others and merged. Filters are
 * checked for each, in a form that no index answers.
 */
function inOrder(kind: RecordType, flavour: Flavour, query: ListQuery): PageStatement[] {
  const { columns, join } = readingOf(kind, flavour)
  const filters = (query.filters ?? []).map((filter) => conditionOf(asked(kind, flavour, filter)))
  const where = [...ownedBy(query), ...[...filters, ...searched(kind, flavour, query)].map((filter) => sql`(${filter}) is true`)]
  const within = (selected: RawBuilder<unknown>, segment: Segment, hidden: boolean, limit: number) =>
    sql`select ${selected} from ${sql.table(sourceOf(kind).table)} as k where ${all([...where, visible(hidden), ...segment.where])} order by ${segment.by} limit ${limit}`
  const everything = sql`k.*`
  return segmentsOf(kind, query).map((segment) => (limit) => {
    if (!query.withDeleted && !kind.listedFrom) return within(columns, segment, false, limit)
    const shownPage = within(everything, segment, false, limit)
    const pages = query.withDeleted
      ? sql`select * from (${shownPage}) as shown union all select * from (${within(everything, segment, true, limit)}) as hidden`
      : shownPage
    return sql`select ${columns} from (${pages}) as k ${join} order by ${segment.by} limit ${limit}`
  })
}

/** The statements of a page, to be run one after the other until it is full. `leavesMany` is the result of `manyStatement`. */
export function pageStatements(kind: RecordType, flavour: Flavour, query: ListQuery, leavesMany = false): PageStatement[] {
  return isIndexed(kind, query) && !leavesMany ? collected(kind, flavour, query) : inOrder(kind, flavour, query)
}

/** How many records a list has. */
export function countStatement(
  kind: RecordType,
  flavour: Flavour,
  query: Pick<ListQuery, 'scope' | 'withDeleted' | 'filters' | 'search'>,
): RawBuilder<{ count: number }> {
  const { from, where } = chosen(kind, flavour, query)
  return sql`select count(*) as count from ${from} where ${all([...where, ...(query.withDeleted ? [] : [visible(false)])])}`
}
