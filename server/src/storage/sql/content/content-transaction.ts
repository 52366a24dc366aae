import { CompiledQuery, sql, type Transaction } from 'kysely'
import { termHash } from '../../../lib/post-text/terms.ts'
import type { Content, ContentTransaction, RelationPair } from '../../content.ts'
import { holdNamedLock } from '../advisory-lock.ts'
import type { Flavour } from '../flavour.ts'
import { insertEvent } from '../outbox/outbox-store.ts'
import type { ReadRows } from '../read-rows.ts'
import type { Database } from '../schema.ts'
import { bulkInsert } from './bulk-insert.ts'
import { type ChangeSet, changed } from './change-set.ts'
import { isAmong, selectColumn, storedIn } from './columns.ts'
import type { Counters } from './counters.ts'
import { createRelationReader } from './read-objects.ts'
import { createRowStatements } from './row-statements.ts'

const RELATIONS = {
  name: 'relations',
  columns: { relation: 'text', source: 'text', target: 'text', position: 'bigid' },
  returning: 'relation, source, target',
} as const

const isPair = ({ relation, source, target }: RelationPair) => sql`relation = ${relation} and source = ${source} and target = ${target}`

type RelationStatements = Pick<ContentTransaction, 'hasRelation' | 'relate' | 'relateAll' | 'unrelate' | 'unrelateAll' | 'targetsOf'>

/** The statements of a transaction on relations. */
const createRelationStatements = (trx: Transaction<Database>, flavour: Flavour): RelationStatements => ({
  async hasRelation(pair) {
    const { rows } = await sql`select 1 as one from relations where ${isPair(pair)}`.execute(trx)
    return rows.length > 0
  },
  relate: ({ relation, source, target }, position) =>
    changed(
      trx,
      sql`insert into relations (relation, source, target, position)
        values (${relation}, ${source}, ${target}, ${BigInt(position)}) on conflict do nothing`,
    ),
  relateAll: (pairs) =>
    bulkInsert<RelationPair>(
      ...([trx, flavour, RELATIONS] as const),
      pairs.map(({ relation, source, target, position }) => [relation, source, target, BigInt(position)]),
    ),
  unrelate: (pair) => changed(trx, sql`delete from relations where ${isPair(pair)}`),
  async unrelateAll(relation, end, key) {
    const other = sql.ref(end === 'source' ? 'target' : 'source')
    const { rows } = await sql<{ key: string }>`delete from relations
      where relation = ${relation} and ${sql.ref(end)} = ${key} returning ${other} as key`.execute(trx)
    return rows.map(({ key }) => key)
  },
  async targetsOf(relation, source) {
    const { rows } = await sql<{ target: string }>`select target from relations
      where relation = ${relation} and source = ${source}`.execute(trx)
    return rows.map(({ target }) => target)
  },
})

/** Runs reading statements within a transaction: they see what others have committed, and what the transaction has changed. */
const readRowsIn =
  (trx: Transaction<Database>, { name }: Flavour): ReadRows =>
  async (text, values) => {
    const sent = name === 'sqlite' ? text.replaceAll(/\$(\d+)/g, '?$1') : text
    const { rows } = await trx.executeQuery<Record<string, unknown>>(CompiledQuery.raw(sent, [...values]))
    return rows.map((row) => Object.values(row))
  }

/** The reads of a transaction, for checks that must still hold when it commits, and for what events say of it. */
function createTransactionReads(
  trx: Transaction<Database>,
  flavour: Flavour,
  counters: Pick<Counters, 'countIn'>,
): Pick<Content, 'rows' | 'relationsOf'> {
  const readRows = readRowsIn(trx, flavour)
  return {
    async rows(table, columns, values, by = table.key) {
      if (values.length === 0) return []
      const [condition, parameter] = isAmong(flavour, by, '$1', values, table.columns[by] === 'bigid')
      const selected = columns.map((column) => selectColumn(table, column)).join()
      const rows = await readRows(`select ${selected} from ${table.from ?? table.name} where ${condition}`, [parameter])
      return counters.countIn(table, columns, rows)
    },
    relationsOf: createRelationReader({ readRows, flavour }),
  }
}

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
    async newestPostOf(authorId) {
      const { rows } = await sql<{ id: string }>`select cast(id as text) as id from posts
        where author_id = ${authorId} and not nullcast order by posts.id desc limit 1`.execute(trx)
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
