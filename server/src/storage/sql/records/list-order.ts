import { type RawBuilder, sql } from 'kysely'
import { columnsOf, type ListQuery, type RecordType, type SortKey } from '../../records.ts'
import { columnName, storedValue } from './row-codec.ts'

export type Condition = RawBuilder<unknown>

export const column = (name: string) => sql.ref(`k.${name}`)
export const all = (conditions: readonly Condition[]) => (conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`1 = 1`)

/** The table that lists are read from, and the column of the record's key there. */
export const sourceOf = ({ table, listedFrom, key }: RecordType) => ({ table: listedFrom ?? table, key: listedFrom ? 'account_id' : key })

/** An expression that a list is ordered by, and its value in the record that a page continues after. */
interface Step {
  by: RawBuilder<unknown>
  value: unknown
  descending: boolean
  isNull: boolean
}

/** The steps of a sort key behind the first: for a nullable field, whether it is null comes before its value. */
function stepsOf(kind: RecordType, { field, descending }: SortKey, given: unknown): Step[] {
  const by = column(columnName(kind, field))
  const value = given === undefined ? null : storedValue(kind, field, given)
  const step = { by, value, descending, isNull: value === null }
  if (!columnsOf(kind)[field]!.nullable) return [step]
  return [{ by: sql`case when ${by} is null then 0 else 1 end`, value: value === null ? 0 : 1, descending, isNull: false }, step]
}

const direction = ({ descending }: Step) => sql.raw(descending ? 'desc' : 'asc')
const operator = ({ descending }: Step) => sql.raw(descending ? '<' : '>')
const orderOf = (steps: readonly Step[]) => sql.join(steps.map((step) => sql`${step.by} ${direction(step)}`))

/** What comes after a record. The first step is also a condition of its own, by which the index is entered. */
function past(steps: readonly Step[]): Condition[] {
  const [first] = steps
  if (steps.every(({ descending, isNull }) => !isNull && descending === first!.descending))
    return [sql`(${sql.join(steps.map(({ by }) => by))}) ${operator(first!)} (${sql.join(steps.map(({ value }) => value))})`]
  const same = ({ by, value, isNull }: Step) => (isNull ? sql`${by} is null` : sql`${by} = ${value}`)
  const beyond = (step: Step) => (step.isNull ? sql`1 = 0` : sql`${step.by} ${operator(step)} ${step.value}`)
  const ways = steps.map((step, index) => sql`(${all([...steps.slice(0, index).map(same), beyond(step)])})`)
  return [sql`${first!.by} ${operator(first!)}= ${first!.value}`, sql`(${sql.join(ways, sql` or `)})`]
}

/** A segment of a list in which the index of the first sort key gives the order: lists are read segment by segment until the page is full. */
export interface Segment {
  where: Condition[]
  by: RawBuilder<unknown>
}

/** Rows whose first sort key is null are a segment of their own, before all others in ascending order. */
export function segmentsOf(kind: RecordType, { sort, after }: ListQuery): Segment[] {
  const [{ field, descending }, ...others] = sort as [SortKey, ...SortKey[]]
  const by = column(columnName(kind, field))
  const value = after ? storedValue(kind, field, after.values[0]) : null
  const first = { by, value, descending, isNull: false }
  const last = { by: column(sourceOf(kind).key), value: after?.key, descending: sort.at(-1)!.descending, isNull: false }
  const rest = [...others.flatMap((other, index) => stepsOf(kind, other, after?.values[index + 1])), last]
  const order = orderOf([first, ...rest])
  if (!columnsOf(kind)[field]!.nullable) return [{ where: after ? past([first, ...rest]) : [], by: order }]
  const nulls = (continues: boolean): Segment => ({ where: [sql`${by} is null`, ...(continues ? past(rest) : [])], by: order })
  const values = (continues: boolean): Segment => ({
    where: [sql`${by} is not null`, ...(continues ? past([first, ...rest]) : [])],
    by: order,
  })
  if (!after) return descending ? [values(false), nulls(false)] : [nulls(false), values(false)]
  if (value === null) return descending ? [nulls(true)] : [nulls(true), values(false)]
  return descending ? [values(true), nulls(false)] : [values(true)]
}
