import { sql, type Transaction } from 'kysely'
import type { ContentTransaction, RelationPair } from '../../content.ts'
import { holdNamedLock } from '../advisory-lock.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'
import { changesRows } from './changes-rows.ts'

const isPair = ({ relation, source, target }: RelationPair) => sql`relation = ${relation} and source = ${source} and target = ${target}`

type RelationStatements = Pick<ContentTransaction, 'lockPair' | 'hasRelation' | 'relate' | 'unrelate' | 'unrelateAll' | 'targetsOf'>

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
