import { sql, type Transaction } from 'kysely'
import { termHash } from '../../../lib/post-text/term-hash.ts'
import type { ContentTransaction } from '../../content.ts'
import { holdNamedLock } from '../advisory-lock.ts'
import type { Flavour } from '../flavour.ts'
import { insertEvent } from '../outbox/insert-event.ts'
import type { Database } from '../schema.ts'
import type { ChangeSet } from './change-set.ts'
import { selectColumn, storedIn } from './columns.ts'
import type { Counters } from './counters.ts'
import { createRelationStatements } from './relation-statements.ts'
import { createRowStatements } from './row-statements.ts'
import { createTransactionReads } from './transaction-reads.ts'

export interface ContentTransactionOptions {
  trx: Transaction<Database>
  flavour: Flavour
  counters: Counters
  removedPosts: Set<string>
  /** What is told of once it is committed. */
  changes: ChangeSet
  /** The worker number of this process. */
  worker: number
}

/** The statements of a transaction on data objects. */
export function createContentTransaction(options: ContentTransactionOptions): ContentTransaction {
  const { trx, flavour, counters, removedPosts, changes, worker } = options
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
    ...createTransactionReads(trx, flavour, counters),
    get: getWith(locked),
    keep: getWith(kept),
    ...createRowStatements(trx, flavour, removedPosts),
    count: (table, key, column, by) => counters.add(table, key, column, by),
    expect: (table, key, gone) => counters.expect(table, key, gone),
    raise: (table, key, column, id) => counters.raise(table, key, column, id),
    lockPair: (one, other) => holdNamedLock(trx, flavour, `users ${[one, other].sort().join(' ')}`),
    ...createRelationStatements(trx, flavour),
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
    async addEvent(event, claimedUntilMs) {
      await insertEvent(trx, worker, event, claimedUntilMs)
    },
    wake: (queue) => changes.addQueue(queue),
    tellOfUser: (userId) => changes.addUser(userId),
    async hasSameText(authorId, text, sinceMs) {
      const { rows } = await sql`select 1 as one from posts where author_id = ${authorId} and text_hash = ${termHash(text)}
        and text = ${text} and created_at_ms >= ${sinceMs} limit 1`.execute(trx)
      return rows.length > 0
    },
  }
}
