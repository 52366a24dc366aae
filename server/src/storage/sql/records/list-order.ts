import { type RawBuilder, sql } from 'kysely'
import { columnsOf, type ListQuery, type RecordType, type SortKey } from '../../records.ts'
import { columnName, storedValue } from './row-codec.ts'

export type Condition = RawBuilder<unknown>

export const column = (name: string) => sql.ref(`k.${name}`)
export const all = (conditions: readonly Condition[]) => (conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`1 = 1`)

/** The table from which lists are read, and its column with the record's key. */
export const sourceOf = ({ table, listedFrom, key }: RecordType) => ({ table: listedFrom ?? table, key: listedFrom ? 'account_id' : key })

/** An expression of the order, and its value in the record after which the page begins. */
interface Step {
  by: RawBuilder<unknown>
  value: unknown
  descending: boolean
  isNull: boolean
}

/** The steps of a sort key other than the first. A nullable field has two: whether it is null, then its value. */
function stepsOf(recordType: RecordType, { field, descending }: SortKey, given: unknown): Step[] {
  const by = column(columnName(recordType, field))
  const value = given === undefined ? null : storedValue(recordType, field, given)
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
export interface Segment {
  where: Condition[]
  by: RawBuilder<unknown>
}

/** Rows whose first sort key is null are a segment of their own, before all others in ascending order. */
export function segmentsOf(recordType: RecordType, { sort, after: position }: ListQuery): Segment[] {
  const [{ field, descending }, ...others] = sort as [SortKey, ...SortKey[]]
  const by = column(columnName(recordType, field))
  const value = position ? storedValue(recordType, field, position.values[0]) : null
  const first = { by, value, descending, isNull: false }
  const last = { by: column(sourceOf(recordType).key), value: position?.key, descending: sort.at(-1)!.descending, isNull: false }
  const rest = [...others.flatMap((other, index) => stepsOf(recordType, other, position?.values[index + 1])), last]
  const order = orderOf([first, ...rest])
  if (!columnsOf(recordType)[field]!.nullable) return [{ where: position ? after([first, ...rest]) : [], by: order }]
  const nulls = (continues: boolean): Segment => ({ where: [sql`${by} is null`, ...(continues ? after(rest) : [])], by: order })
  const values = (continues: boolean): Segment => ({
    where: [sql`${by} is not null`, ...(continues ? after([first, ...rest]) : [])],
    by: order,
  })
  if (!position) return descending ? [values(false), nulls(false)] : [nulls(false), values(false)]
  if (value === null) return descending ? [nulls(true)] : [nulls(true), values(false)]
  return descending ? [values(true), nulls(false)] : [values(true)]
}
