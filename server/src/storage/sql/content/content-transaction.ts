import { sql, type Transaction } from 'kysely'
import type { ContentTransaction, TermPair } from '../../content.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { bulkInsert } from './bulk-insert.ts'
import { changesRows } from './changes-rows.ts'
import { selectColumn, storedIn } from './columns.ts'
import type { Counters } from './counters.ts'
import { createRelationStatements } from './relation-statements.ts'
import { storedTable } from './stored-table.ts'

const POST_TERMS = { name: 'post_terms', columns: { term: 'bigid', post_id: 'bigid' } } as const

/** In the order of the key, so that neighbours of the index are written together. */
const byTerm = ([one, first]: TermPair, [other, second]: TermPair) => (one === other ? (first < second ? -1 : 1) : one < other ? -1 : 1)

const isSorted = (pairs: readonly TermPair[]) => pairs.every((pair, place) => place === 0 || byTerm(pairs[place - 1]!, pair) < 0)

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
      return changesRows(
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
      changesRows(trx, sql`delete from ${sql.table(table.name)} where ${sql.ref(table.key)} = ${storedIn(table, table.key, key)}`),
    ...createRelationStatements(trx, flavour),
    count: (table, key, column, by) => counters.add(table, key, column, by),
    raise: (table, key, column, id) => counters.raise(table, key, column, id),
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
    async insertAll(table, rows) {
      const names = Object.keys(rows[0] ?? {})
      const columns = Object.fromEntries(names.map((column) => [column, table.columns[column]!]))
      const stored = rows.map((row) => names.map((column) => storedIn(table, column, row[column])))
      const returning = `${selectColumn(table, table.key)} as key`
      const inserted = await bulkInsert<{ key: string }>(trx, flavour, { name: table.name, columns, returning }, stored)
      return inserted.map(({ key }) => key)
    },
    async addAllTerms(pairs) {
      await bulkInsert(trx, flavour, POST_TERMS, isSorted(pairs) ? pairs : [...pairs].sort(byTerm))
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
