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
import { addAllUnpacked, addGone, addUnpacked } from './unpacked-posts.ts'

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
  /** Whether there are posts that the keyword index is to pack. */
  hasUnpacked = false

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
      await trx.executeQuery(CompiledQuery.raw(`update ${stored.name} set ${column} = ${set} where ${where}`, parameters))
    }
  }
}

/** The statements of a transaction on data objects. */
export function createContentTransaction(trx: Transaction<Database>, flavour: Flavour, counters: Counters): ContentTransaction {
  const lock = flavour.locksRows ? sql`for update` : sql``
  const bulk = createBulkStatements(trx, flavour)
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
    async insert(table, values) {
      const columns = Object.keys(values)
      const stored = columns.map((column) => sql`${storedIn(table, column, values[column])}`)
      const isNew = await changed(
        trx,
        sql`insert into ${sql.table(table.name)} (${sql.join(columns.map((column) => sql.ref(column)))}) values (${sql.join(stored)}) on conflict do nothing`,
      )
      if (isNew && table.name === posts.name && (await addUnpacked(trx, flavour, values))) counters.hasUnpacked = true
      return isNew
    },
    async update(table, key, values) {
      const stored = storedTable(table)
      const set = Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${storedIn(table, column, value)}`)
      await sql`update ${sql.table(stored.name)} set ${sql.join(set)} where ${sql.ref(stored.key)} = ${storedIn(table, table.key, key)}`.execute(
        trx,
      )
    },
    async remove(table, key) {
      if (table.name === posts.name) await addGone(trx, key)
      return changed(trx, sql`delete from ${sql.table(table.name)} where ${sql.ref(table.key)} = ${storedIn(table, table.key, key)}`)
    },
    count: (table, key, column, by) => counters.add(table, key, column, by),
    raise: (table, key, column, id) => counters.raise(table, key, column, id),
    lockPair: (one, other) => holdNamedLock(trx, flavour, `users ${[one, other].sort().join(' ')}`),
    ...createRelationStatements(trx, flavour),
    ...bulk,
    async insertAll(table, rows) {
      const keys = await bulk.insertAll(table, rows)
      if (table.name !== posts.name) return keys
      const inserted = new Set(keys)
      const news = rows.filter(({ id }) => inserted.has(id as string))
      if (await addAllUnpacked(trx, flavour, news)) counters.hasUnpacked = true
      return keys
    },
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
