import { CompiledQuery, sql, type Transaction } from 'kysely'
import type { ContentTransaction } from '../../content.ts'
import { type ContentTable, posts, users } from '../../content-tables.ts'
import { holdNamedLock } from '../advisory-lock.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { createBulkStatements } from './bulk-statements.ts'
import { changed } from './changed.ts'
import { selectColumn, storedIn } from './columns.ts'
import { inLockOrder } from './lock-order.ts'
import { createRelationStatements } from './relation-statements.ts'
import { createTransactionReads } from './transaction-reads.ts'

/** Where counters and profiles of a table are stored: those of users stand in `profiles`. */
const storedTable = ({ name, key }: ContentTable) => (name === users.name ? { name: 'profiles', key: 'user_id' } : { name, key })

/** A change of one column of a row. */
interface Change {
  table: ContentTable
  key: string
  column: string
  /** What is added to a counter, or the id that the column is raised to. */
  value: number | bigint
  isCounter: boolean
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

/** The statements of a transaction on data objects. */
export function createContentTransaction(
  trx: Transaction<Database>,
  flavour: Flavour,
  counters: Counters,
  removedPosts: Set<string>,
): ContentTransaction {
  // A kept row may change, but not be removed: that conflicts with both locks.
  const [locked, kept] = flavour.locksRows ? [sql`for no key update`, sql`for key share`] : [sql``, sql``]
  const hashes = (termHashes: readonly string[]) => sql.join(termHashes.map((hash) => sql`(${BigInt(hash)})`))

  const getWith =
    (lock: typeof locked): ContentTransaction['get'] =>
    async (table, key, columns) => {
      const selected = columns.map((column) => sql`${sql.raw(selectColumn(table, column))} as ${sql.ref(column)}`)
      const where = sql`${sql.ref(table.key)} = ${storedIn(table, table.key, key)}`
      const { rows } = await sql<
        Record<string, unknown>
      >`select ${sql.join(selected)} from ${sql.raw(table.from ?? table.name)} where ${where} ${lock}`.execute(trx)
      return rows[0]
    }

  return {
    ...createTransactionReads(trx, flavour),
    get: getWith(locked),
    keep: getWith(kept),
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
    async remove(table, key) {
      if (table.name === posts.name) removedPosts.add(key)
      return changed(trx, sql`delete from ${sql.table(table.name)} where ${sql.ref(table.key)} = ${storedIn(table, table.key, key)}`)
    },
    count: (table, key, column, by) => counters.add(table, key, column, by),
    expect: (table, key, gone) => counters.expect(table, key, gone),
    raise: (table, key, column, id) => counters.raise(table, key, column, id),
    lockPair: (one, other) => holdNamedLock(trx, flavour, `users ${[one, other].sort().join(' ')}`),
    ...createRelationStatements(trx, flavour),
    ...createBulkStatements(trx, flavour),
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
    async openSpaces(creatorId) {
      const { rows } = await sql<{ n: number | string }>`select count(*) as n from spaces
        where creator_id = ${creatorId} and state <> 'ended'`.execute(trx)
      return Number(rows[0]!.n)
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
