import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { ContentTransaction, RelationPair } from '../../content.ts'
import { type ContentTable, users } from '../../content-tables.ts'
import { holdNamedLock } from '../advisory-lock.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { selectColumn, storedIn } from './columns.ts'
import { inLockOrder } from './lock-order.ts'

/** Where counters and profiles of a table are stored: those of users stand in `profiles`. */
const storedTable = ({ name, key }: ContentTable) => (name === users.name ? { name: 'profiles', key: 'user_id' } : { name, key })

const isPair = ({ relation, source, target }: RelationPair) => sql`relation = ${relation} and source = ${source} and target = ${target}`

interface Counted {
  table: ContentTable
  key: string
  column: string
  by: number
}

/** Counters that change at the end of a transaction, in an order that is the same for every transaction. */
export class Counters {
  readonly #changes = new Map<string, Counted>()

  add(table: ContentTable, key: string, column: string, by: number) {
    const name = `${table.name} ${key} ${column}`
    this.#changes.set(name, { table, key, column, by: (this.#changes.get(name)?.by ?? 0) + by })
  }

  async write(trx: Transaction<Database>) {
    for (const { table, key, column, by } of [...this.#changes.values()].sort(inLockOrder)) {
      const stored = storedTable(table)
      const [counter, value] = [sql.ref(column), sql`${sql.ref(column)} + ${by}`]
      await sql`update ${sql.table(stored.name)} set ${counter} = case when ${value} < 0 then 0 else ${value} end
        where ${sql.ref(stored.key)} = ${storedIn(table, table.key, key)}`.execute(trx)
    }
  }
}

async function changed(trx: Transaction<Database>, statement: RawBuilder<unknown>): Promise<boolean> {
  return ((await statement.execute(trx)).numAffectedRows ?? 0n) > 0n
}

/** The statements of a transaction on data objects. */
export function createContentTransaction(trx: Transaction<Database>, flavour: Flavour, counters: Counters): ContentTransaction {
  const lock = flavour.locksRows ? sql`for update` : sql``
  const hashes = (termHashes: readonly string[]) => sql.join(termHashes.map((hash) => sql`(${BigInt(hash)})`))

  return {
    async get(table, key, columns) {
      const selected = columns.map((column) => sql`${sql.raw(selectColumn(table, column))} as ${sql.ref(column)}`)
      const where = sql`${sql.ref(table.key)} = ${storedIn(table, table.key, key)}`
      const { rows } = await sql<
        Record<string, unknown>
      >`select ${sql.join(selected)} from ${sql.raw(table.from ?? table.name)} where ${where} ${lock}`.execute(trx)
      return rows[0]
    },
    insert(table, values) {
      const columns = Object.keys(values)
      const stored = columns.map((column) => sql`${storedIn(table, column, values[column])}`)
      return changed(
        trx,
        sql`insert into ${sql.table(table.name)} (${sql.join(columns.map((column) => sql.ref(column)))}) values (${sql.join(stored)}) on conflict do nothing`,
      )
    },
    async update(table, key, values) {
      const stored = storedTable(table)
      const set = Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${storedIn(table, column, value)}`)
      await sql`update ${sql.table(stored.name)} set ${sql.join(set)} where ${sql.ref(stored.key)} = ${storedIn(table, table.key, key)}`.execute(
        trx,
      )
    },
    remove: (table, key) =>
      changed(trx, sql`delete from ${sql.table(table.name)} where ${sql.ref(table.key)} = ${storedIn(table, table.key, key)}`),
    count: (table, key, column, by) => counters.add(table, key, column, by),
    lockPair: (one, other) => holdNamedLock(trx, flavour, `users ${[one, other].sort().join(' ')}`),
    async hasRelation(pair) {
      const { rows } = await sql`select 1 as one from relations where ${isPair(pair)}`.execute(trx)
      return rows.length > 0
    },
    relate: ({ relation, source, target }, position) =>
      changed(
        trx,
        sql`insert into relations (relation, source, target, position) values (${relation}, ${source}, ${target}, ${BigInt(position)}) on conflict do nothing`,
      ),
    unrelate: (pair) => changed(trx, sql`delete from relations where ${isPair(pair)}`),
    async addTerms(postId, termHashes) {
      if (termHashes.length === 0) return
      const rows = termHashes.map((hash) => sql`(${BigInt(hash)}, ${BigInt(postId)})`)
      await sql`insert into post_terms (term, post_id) values ${sql.join(rows)} on conflict do nothing`.execute(trx)
    },
    async removeTerms(postId, termHashes) {
      if (termHashes.length === 0) return
      await sql`delete from post_terms where post_id = ${BigInt(postId)} and term in (${hashes(termHashes)})`.execute(trx)
    },
    async repostBy(userId, postId) {
      const { rows } = await sql<{ id: string }>`select cast(id as text) as id from posts
        where reposted_id = ${BigInt(postId)} and author_id = ${userId}`.execute(trx)
      return rows[0]?.id
    },
    async hasSameText(authorId, text, sinceMs) {
      const { rows } = await sql`select 1 as one from (select text, created_at_ms, reposted_id from posts where author_id = ${authorId}
        order by id desc limit 100) as newest where text = ${text} and created_at_ms >= ${sinceMs} and reposted_id is null limit 1`.execute(
        trx,
      )
      return rows.length > 0
    },
  }
}
