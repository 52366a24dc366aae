import { type RawBuilder, sql } from 'kysely'
import { foldCase } from '../../../lib/text.ts'
import { columnsOf, type ListQuery, type RecordType, type SortKey } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import { columnName, columnsRead, storedValue } from './row-codec.ts'

type Condition = RawBuilder<unknown>

const HIGHEST = '\u{10FFFF}'

const key = (column: string) => sql.ref(`k.${column}`)
const all = (conditions: readonly Condition[]) => (conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`1 = 1`)

/** Where the keys of a kind's lists are, and what the id is called there. */
const keysOf = ({ table, listedFrom }: RecordType) => ({ table: listedFrom ?? table, id: listedFrom ? 'account_id' : 'id' })

/** What a list is ordered by: a key or a part of one, and its value in the record that a page goes on after. */
interface Step {
  by: RawBuilder<unknown>
  value: unknown
  descending: boolean
  isNull: boolean
}

/** A key behind the first: where it may be without a value, whether it has one comes before the value. */
function stepsOf(kind: RecordType, { field, descending }: SortKey, given: unknown): Step[] {
  const by = key(columnName(kind, field))
  const value = given === undefined ? null : storedValue(kind, field, given)
  const step = { by, value, descending, isNull: value === null }
  if (!columnsOf(kind)[field]!.nullable) return [step]
  return [{ by: sql`case when ${by} is null then 0 else 1 end`, value: value === null ? 0 : 1, descending, isNull: false }, step]
}

const direction = ({ descending }: Step) => sql.raw(descending ? 'desc' : 'asc')
const operator = ({ descending }: Step) => sql.raw(descending ? '<' : '>')
const orderOf = (steps: readonly Step[]) => sql.join(steps.map((step) => sql`${step.by} ${direction(step)}`))

/** What comes after a record. The first step also stands alone, for the index is entered by it. */
function past(steps: readonly Step[]): Condition[] {
  const [first] = steps
  if (steps.every(({ descending, isNull }) => !isNull && descending === first!.descending))
    return [sql`(${sql.join(steps.map(({ by }) => by))}) ${operator(first!)} (${sql.join(steps.map(({ value }) => value))})`]
  const same = ({ by, value, isNull }: Step) => (isNull ? sql`${by} is null` : sql`${by} = ${value}`)
  const beyond = (step: Step) => (step.isNull ? sql`1 = 0` : sql`${step.by} ${operator(step)} ${step.value}`)
  const ways = steps.map((step, index) => sql`(${all([...steps.slice(0, index).map(same), beyond(step)])})`)
  return [sql`${first!.by} ${operator(first!)}= ${first!.value}`, sql`(${sql.join(ways, sql` or `)})`]
}

/** Part of a list in which the index of the first key gives the order: lists are read part by part until the page is full. */
interface Part {
  where: Condition[]
  by: RawBuilder<unknown>
}

/** Rows whose first key has no value are a part of their own, before all others in ascending order. */
function partsOf(kind: RecordType, { sort, after }: ListQuery): Part[] {
  const [{ field, descending }, ...others] = sort as [SortKey, ...SortKey[]]
  const by = key(columnName(kind, field))
  const value = after ? storedValue(kind, field, after.values[0]) : null
  const first = { by, value, descending, isNull: false }
  const id = { by: key(keysOf(kind).id), value: after?.id, descending: sort.at(-1)!.descending, isNull: false }
  const rest = [...others.flatMap((other, index) => stepsOf(kind, other, after?.values[index + 1])), id]
  const order = orderOf([first, ...rest])
  if (!columnsOf(kind)[field]!.nullable) return [{ where: after ? past([first, ...rest]) : [], by: order }]
  const nulls = (goesOn: boolean): Part => ({ where: [sql`${by} is null`, ...(goesOn ? past(rest) : [])], by: order })
  const values = (goesOn: boolean): Part => ({ where: [sql`${by} is not null`, ...(goesOn ? past([first, ...rest]) : [])], by: order })
  if (!after) return descending ? [values(false), nulls(false)] : [nulls(false), values(false)]
  if (value === null) return descending ? [nulls(true)] : [nulls(true), values(false)]
  return descending ? [values(true), nulls(false)] : [values(true)]
}

type Choice = Pick<ListQuery, 'scope' | 'oneOf' | 'namePrefix'>

/** What filters ask of each record. */
function filtersOf(kind: RecordType, flavour: Flavour, { oneOf = [], namePrefix }: Choice) {
  const { id } = keysOf(kind)
  const columnOf = (field: string) => key(field === 'id' ? id : columnName(kind, field))
  const prefix = namePrefix === undefined ? undefined : foldCase(namePrefix)
  return {
    oneOf: oneOf.map(({ field, values }) => ({ column: columnOf(field), values: flavour.values(JSON.stringify([...new Set(values)])) })),
    begins: prefix === undefined ? [] : [sql`${key('name_key')} >= ${prefix} and ${key('name_key')} < ${prefix + HIGHEST}`],
  }
}

/** Whose records they are, in the table that has the keys. */
const ownedBy = ({ scope }: Choice) => Object.entries(scope).map(([column, value]) => sql`${key(column)} = ${value}`)

const isIn = ({ column, values }: { column: Condition; values: Condition }) => sql`${column} in (select wanted.value from ${values})`

/** Records chosen by the indexes of what they are filtered by. */
function chosen(kind: RecordType, flavour: Flavour, choice: Choice) {
  const keys = sql`${sql.table(keysOf(kind).table)} as k`
  const { oneOf, begins } = filtersOf(kind, flavour, choice)
  const [first, ...others] = oneOf
  const where = [...ownedBy(choice), ...others.map(isIn), ...begins]
  if (!first) return { from: keys, where }
  return { from: sql`${first.values} cross join ${keys}`, where: [sql`${first.column} = wanted.value`, ...where] }
}

const visible = (hidden: boolean) => sql`${key('hidden')} = ${sql.lit(hidden)}`

/** A list with fewer records than this is collected and ordered. */
const MANY = 10_000

/** Whether filters may leave so many records that they are better looked for in order. An id leaves one. */
const mayLeaveMany = ({ oneOf = [], namePrefix }: Choice) =>
  !oneOf.some(({ field }) => field === 'id') && (oneOf.length > 0 || namePrefix !== undefined)

/** Asks whether filters leave many records; undefined where that needs no asking. */
export function manyStatement(kind: RecordType, flavour: Flavour, choice: Choice): RawBuilder<{ count: number }> | undefined {
  if (!mayLeaveMany(choice)) return undefined
  const { from, where } = chosen(kind, flavour, choice)
  return sql`select count(*) as count from (select 1 as one from ${from} where ${all(where)} limit ${MANY}) as found having count(*) >= ${MANY}`
}

/** A statement of a page; `limit` is what is still wanted. */
type PageStatement = (limit: number) => RawBuilder<unknown>

/** What a page is read from, and how. */
interface Reading {
  whole: RawBuilder<unknown>
  join: RawBuilder<unknown>
}

function readingOf(kind: RecordType, flavour: Flavour): Reading {
  const join = kind.listedFrom ? sql`join ${sql.table(kind.table)} as t on t.id = ${key(keysOf(kind).id)}` : sql``
  return { whole: columnsRead(kind, flavour, kind.listedFrom ? 't.' : 'k.'), join }
}

/** Few records: the filters choose them, and then they are ordered. */
function collected(kind: RecordType, flavour: Flavour, query: ListQuery): PageStatement[] {
  const { whole, join } = readingOf(kind, flavour)
  const { from, where } = chosen(kind, flavour, query)
  const shown = query.withDeleted ? [] : [visible(false)]
  return partsOf(kind, query).map(
    (part) => (limit) =>
      sql`with chosen as materialized (select k.* from ${from} where ${all(where)})
        select ${whole} from chosen as k ${join} where ${all([...shown, ...part.where])} order by ${part.by} limit ${limit}`,
  )
}

/**
 * Many records: keys are read from the index of the first sort key in order, hidden rows apart from the others and merged. Filters are asked
 * of each in a way that no index answers.
 */
function inOrder(kind: RecordType, flavour: Flavour, query: ListQuery): PageStatement[] {
  const { whole, join } = readingOf(kind, flavour)
  const { oneOf, begins } = filtersOf(kind, flavour, query)
  const where = [...ownedBy(query), ...[...oneOf.map(isIn), ...begins].map((filter) => sql`(${filter}) is true`)]
  const within = (columns: RawBuilder<unknown>, part: Part, hidden: boolean, limit: number) =>
    sql`select ${columns} from ${sql.table(keysOf(kind).table)} as k where ${all([...where, visible(hidden), ...part.where])} order by ${part.by} limit ${limit}`
  const keys = sql`k.*`
  return partsOf(kind, query).map((part) => (limit) => {
    if (!query.withDeleted && !kind.listedFrom) return within(whole, part, false, limit)
    const shownPage = within(keys, part, false, limit)
    const pages = query.withDeleted
      ? sql`select * from (${shownPage}) as shown union all select * from (${within(keys, part, true, limit)}) as hidden`
      : shownPage
    return sql`select ${whole} from (${pages}) as k ${join} order by ${part.by} limit ${limit}`
  })
}

/** The statements of a page, to be run one after the other until it is full. `leavesMany` is what `manyStatement` has found out. */
export function pageStatements(kind: RecordType, flavour: Flavour, query: ListQuery, leavesMany = false): PageStatement[] {
  const isFiltered = query.namePrefix !== undefined || (query.oneOf ?? []).length > 0
  return isFiltered && !leavesMany ? collected(kind, flavour, query) : inOrder(kind, flavour, query)
}

/** How many records a list has. */
export function countStatement(
  kind: RecordType,
  flavour: Flavour,
  query: Pick<ListQuery, 'scope' | 'withDeleted' | 'oneOf' | 'namePrefix'>,
): RawBuilder<{ count: number }> {
  const { from, where } = chosen(kind, flavour, query)
  return sql`select count(*) as count from ${from} where ${all([...where, ...(query.withDeleted ? [] : [visible(false)])])}`
}
