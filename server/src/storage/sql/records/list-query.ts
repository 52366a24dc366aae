import { type RawBuilder, sql } from 'kysely'
import { foldCase } from '../../../lib/fold-case.ts'
import { columnsOf, type Kind, type ListQuery } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import { columnName, columnsRead, storedValue } from './row-codec.ts'

type Condition = RawBuilder<unknown>

const HIGHEST = '\u{10FFFF}'

const key = (column: string) => sql.ref(`k.${column}`)
const all = (conditions: readonly Condition[]) => (conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`1 = 1`)

/** Where the keys of a kind's lists are, and what the id is called there. */
const keysOf = ({ table, listedFrom }: Kind) => ({ table: listedFrom ?? table, id: listedFrom ? 'account_id' : 'id' })

/** Part of a list in which one index gives the order: lists are read part by part until the page is full. */
interface Part {
  where: Condition[]
  order: { column: string; descending: boolean }[]
}

/** One sort key pages by its index: rows without a value are a part of their own. */
function partsOfOne(kind: Kind, { sort, after }: ListQuery): Part[] {
  const { field, descending } = sort[0]!
  const { id } = keysOf(kind)
  const column = columnName(kind, field)
  const order = [column, id].map((name) => ({ column: name, descending }))
  const beyond = sql.raw(descending ? '<' : '>')
  const value = after && storedValue(kind, field, after.values[0])
  const past = (part: 'null' | 'value') => {
    if (!after) return []
    if (part === 'null') return [sql`${key(id)} ${beyond} ${after.id}`]
    return [sql`(${key(column)}, ${key(id)}) ${beyond} (${value}, ${after.id})`]
  }
  if (!columnsOf(kind)[field]!.nullable) return [{ where: past('value'), order }]
  const nulls = (isFirst: boolean): Part => ({ where: [sql`${key(column)} is null`, ...(isFirst ? past('null') : [])], order })
  const values = (isFirst: boolean): Part => ({ where: [sql`${key(column)} is not null`, ...(isFirst ? past('value') : [])], order })
  if (!after) return descending ? [values(false), nulls(false)] : [nulls(false), values(false)]
  if (value === null) return descending ? [nulls(true)] : [nulls(true), values(false)]
  return descending ? [values(true), nulls(false)] : [values(true)]
}

/** Several keys are compared one after the other, rows without a value as less than all others. */
function partOfSeveral(kind: Kind, { sort, after }: ListQuery): Part & { by: RawBuilder<unknown> } {
  const { id } = keysOf(kind)
  const keys = sort.flatMap(({ field, descending }, index) => {
    const column = key(columnName(kind, field))
    const value = after ? storedValue(kind, field, after.values[index]) : null
    const has = { by: sql`case when ${column} is null then 0 else 1 end`, value: value === null ? 0 : 1, descending, isNull: false }
    return [...(columnsOf(kind)[field]!.nullable ? [has] : []), { by: column, value, descending, isNull: value === null }]
  })
  const last = { by: key(id), value: after?.id ?? null, descending: sort.at(-1)!.descending, isNull: false }
  const steps = [...keys, last]
  const same = ({ by, value, isNull }: (typeof steps)[number]) => (isNull ? sql`${by} is null` : sql`${by} = ${value}`)
  const beyond = ({ by, value, descending, isNull }: (typeof steps)[number]) =>
    isNull ? sql`1 = 0` : sql`${by} ${sql.raw(descending ? '<' : '>')} ${value}`
  const past = steps.map((step, index) => sql`(${all([...steps.slice(0, index).map(same), beyond(step)])})`)
  const by = sql.join(steps.map(({ by, descending }) => sql`${by} ${sql.raw(descending ? 'desc' : 'asc')}`))
  return { where: after ? [sql`(${sql.join(past, sql` or `)})`] : [], order: [], by }
}

/** Conditions that choose records before they are ordered, and the tables that they are chosen from. */
function chosen(kind: Kind, flavour: Flavour, { scope, oneOf = [], namePrefix }: Pick<ListQuery, 'scope' | 'oneOf' | 'namePrefix'>) {
  const { table, id } = keysOf(kind)
  const owned = Object.entries(scope).map(([column, value]) => sql`${key(column)} = ${value}`)
  const columnOf = (field: string) => (field === 'id' ? id : columnName(kind, field))
  const isIn = ({ field, values }: { field: string; values: readonly string[] }) =>
    sql`${key(columnOf(field))} in (select wanted.value from ${flavour.values(JSON.stringify(values))})`
  const prefix = namePrefix === undefined ? undefined : foldCase(namePrefix)
  const begins = prefix === undefined ? [] : [sql`${key('name_key')} >= ${prefix} and ${key('name_key')} < ${prefix + HIGHEST}`]
  const [first, ...others] = oneOf
  if (!first) return { from: sql`${sql.table(table)} as k`, where: [...owned, ...begins], isOrdered: begins.length === 0 }
  const from = sql`${flavour.values(JSON.stringify([...new Set(first.values)]))} cross join ${sql.table(table)} as k`
  return { from, where: [sql`${key(columnOf(first.field))} = wanted.value`, ...owned, ...others.map(isIn), ...begins], isOrdered: false }
}

const ordered = (order: Part['order'], of?: 'k') =>
  sql.join(order.map(({ column, descending }) => sql`${sql.ref(of ? `k.${column}` : column)} ${sql.raw(descending ? 'desc' : 'asc')}`))

const visible = (hidden: boolean) => sql`${key('hidden')} = ${sql.lit(hidden)}`

/**
 * The statements of a page, to be run one after the other until it is full: `limit` of each is what is still wanted. Keys are read from an
 * index in order, hidden rows apart from the others and merged; what filters choose is chosen first.
 */
export function pageStatements(kind: Kind, flavour: Flavour, query: ListQuery): ((limit: number) => RawBuilder<unknown>)[] {
  const { id } = keysOf(kind)
  const { from, where, isOrdered } = chosen(kind, flavour, query)
  const whole = sql.raw(columnsRead(kind, kind.listedFrom ? 't' : 'k'))
  const join = kind.listedFrom ? sql`join ${sql.table(kind.table)} as t on t.id = ${key(id)}` : sql``
  const shown = query.withDeleted ? [] : [visible(false)]
  if (!isOrdered || query.sort.length > 1) {
    const first = sql`with chosen as materialized (select k.* from ${from} where ${all(where)})`
    const parts = query.sort.length > 1 ? [partOfSeveral(kind, query)] : partsOfOne(kind, query)
    return parts.map((part) => (limit) => {
      const by = 'by' in part ? (part.by as RawBuilder<unknown>) : ordered(part.order, 'k')
      return sql`${first} select ${whole} from chosen as k ${join} where ${all([...shown, ...part.where])} order by ${by} limit ${limit}`
    })
  }
  const keys = kind.listedFrom ? sql`k.*` : whole
  const within = (part: Part, hidden: boolean, limit: number) =>
    sql`select ${keys} from ${from} where ${all([...where, visible(hidden), ...part.where])} order by ${ordered(part.order, 'k')} limit ${limit}`
  return partsOfOne(kind, query).map((part) => (limit) => {
    const shownPage = within(part, false, limit)
    if (!query.withDeleted && !kind.listedFrom) return shownPage
    const pages = query.withDeleted
      ? sql`select * from (${shownPage}) as shown union all select * from (${within(part, true, limit)}) as hidden`
      : shownPage
    return sql`select ${whole} from (${pages}) as k ${join} order by ${ordered(part.order, 'k')} limit ${limit}`
  })
}

/** How many records a list has. */
export function countStatement(
  kind: Kind,
  flavour: Flavour,
  query: Pick<ListQuery, 'scope' | 'withDeleted' | 'oneOf' | 'namePrefix'>,
): RawBuilder<{ count: number }> {
  const { from, where } = chosen(kind, flavour, query)
  return sql`select count(*) as count from ${from} where ${all([...where, ...(query.withDeleted ? [] : [visible(false)])])}`
}
