import { sql, type Transaction } from 'kysely'
import type { ContentTransaction, RelationPair } from '../../content.ts'
import { holdNamedLock } from '../advisory-lock.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { bulkInsert } from './bulk-insert.ts'
import { changesRows } from './changes-rows.ts'

const RELATIONS = {
  name: 'relations',
  columns: { relation: 'text', source: 'text', target: 'text', position: 'bigid' },
  returning: 'relation, source, target',
} as const

const isPair = ({ relation, source, target }: RelationPair) => sql`relation = ${relation} and source = ${source} and target = ${target}`

type RelationStatements = Pick<
  ContentTransaction,
  'lockPair' | 'hasRelation' | 'relate' | 'relateAll' | 'unrelate' | 'unrelateAll' | 'targetsOf'
>

/** The statements of a transaction on relations. */
export const createRelationStatements = (trx: Transaction<Database>, flavour: Flavour): RelationStatements => ({
  lockPair: (one, other) => holdNamedLock(trx, flavour, `users ${[one, other].sort().join(' ')}`),
  async hasRelation(pair) {
    const { rows } = await sql`select 1 as one from relations where ${isPair(pair)}`.execute(trx)
    return rows.length > 0
  },
  relate: ({ relation, source, target }, position) =>
    changesRows(
      trx,
      sql`insert into relations (relation, source, target, position) values (${relation}, ${source}, ${target}, ${BigInt(position)}) on conflict do nothing`,
    ),
  unrelate: (pair) => changesRows(trx, sql`delete from relations where ${isPair(pair)}`),
  async unrelateAll(relation, source) {
    const { rows } = await sql<{ target: string }>`delete from relations
      where relation = ${relation} and source = ${source} returning target`.execute(trx)
    return rows.map(({ target }) => target)
  },
  async targetsOf(relation, source) {
    const { rows } = await sql<{ target: string }>`select target from relations
      where relation = ${relation} and source = ${source}`.execute(trx)
    return rows.map(({ target }) => target)
  },
  relateAll: (pairs) =>
    bulkInsert<RelationPair>(
      ...([trx, flavour, RELATIONS] as const),
      pairs.map(({ relation, source, target, position }) => [relation, source, target, BigInt(position)]),
    ),
})
