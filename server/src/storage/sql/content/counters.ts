import { CompiledQuery, type Transaction } from 'kysely'
import { type ContentRow, type ContentTable, lists, profiles, users } from '../../content-tables.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { storedIn } from './columns.ts'

interface Locked {
  table: ContentTable
  key: string
}

const FIRST: readonly string[] = [lists.name, users.name]

/** Lists and users first, then other tables by name. */
const rankOf = ({ table: { name } }: Locked) => (FIRST.includes(name) ? FIRST.indexOf(name) : name)

/**
 * The order in which transactions lock rows: lists before users, users before others; of one table by id, the newest first, because a post that is deleted is locked
 * before those that it refers to, which are older.
 */
function inLockOrder(one: Locked, other: Locked): number {
  const [rank, otherRank] = [rankOf(one), rankOf(other)]
  if (rank !== otherRank) return String(rank) < String(otherRank) ? -1 : 1
  if (one.key.length !== other.key.length) return other.key.length - one.key.length
  if (one.key === other.key) return 0
  return one.key > other.key ? -1 : 1
}

/** Where counters and profiles of a table are stored: those of users stand in `profiles`. */
export const storedTable = (table: ContentTable) =>
  table.from === users.from ? { name: profiles.name, key: profiles.key } : { name: table.name, key: table.key }

/** A change of one column of a row. */
interface Change {
  table: ContentTable
  key: string
  column: string
  /** What is added to a counter, or the id that the column is raised to. */
  value: number | bigint
  isCounter: boolean
}

/** A counter or an id of a row, as it will be with a change. */
function changedValue({ value, isCounter }: Change, former: unknown): unknown {
  if (isCounter) return Math.max(0, Number(former) + Number(value))
  return former === null || BigInt(former as string) < BigInt(value) ? String(value) : former
}

/** Counters and greatest ids that change at the end of a transaction, in an order that is the same for every transaction. */
export class Counters {
  readonly #changes = new Map<string, Change>()
  /** The errors for rows that are gone, by table and key. */
  readonly #expected = new Map<string, () => Error>()

  #change(change: Change, join: (former: Change['value'] | undefined) => Change['value']) {
    const name = `${change.table.name} ${change.key} ${change.column}`
    this.#changes.set(name, { ...change, value: join(this.#changes.get(name)?.value) })
  }

  add(table: ContentTable, key: string, column: string, by: number) {
    this.#change({ table, key, column, value: by, isCounter: true }, (former = 0) => Number(former) + by)
  }

  raise(table: ContentTable, key: string, column: string, id: string) {
    const value = BigInt(id)
    this.#change({ table, key, column, value, isCounter: false }, (former = 0n) => (former > value ? former : value))
  }

  expect({ name }: ContentTable, key: string, gone: () => Error) {
    this.#expected.set(`${name} ${key}`, gone)
  }

  /** Rows of these columns, as they will be once the changes are written. */
  countIn(table: ContentTable, columns: readonly string[], rows: readonly ContentRow[]): ContentRow[] {
    const keyPlace = columns.indexOf(table.key)
    if (this.#changes.size === 0 || keyPlace < 0) return [...rows]
    return rows.map((row) =>
      row.map((former, place) => {
        const change = this.#changes.get(`${table.name} ${row[keyPlace]} ${columns[place]}`)
        return change ? changedValue(change, former) : former
      }),
    )
  }

  async write(trx: Transaction<Database>, { name }: Flavour) {
    // Texts of their own, because building a statement costs more than running it, and a seed has thousands.
    const [value, wanted] = name === 'postgres' ? ['$1', '$2'] : ['?1', '?2']
    for (const change of [...this.#changes.values()].sort(inLockOrder)) {
      const { table, column, isCounter } = change
      const stored = storedTable(table)
      const sum = `${column} + ${value}`
      const set = isCounter ? `case when ${sum} < 0 then 0 else ${sum} end` : value
      const where = `${stored.key} = ${wanted}${isCounter ? '' : ` and (${column} is null or ${column} < ${value})`}`
      const parameters = [change.value, storedIn(table, table.key, change.key)]
      const update = CompiledQuery.raw(`update ${stored.name} set ${column} = ${set} where ${where}`, parameters)
      const { numAffectedRows } = await trx.executeQuery(update)
      const gone = isCounter && numAffectedRows === 0n && this.#expected.get(`${table.name} ${change.key}`)
      if (gone) throw gone()
    }
  }
}
