import { CompiledQuery, type Transaction } from 'kysely'
import type { Content } from '../../content.ts'
import type { Flavour } from '../flavour.ts'
import type { ReadRows } from '../read-rows.ts'
import type { Database } from '../schema.ts'
import { isAmong, selectColumn } from './columns.ts'
import type { Counters } from './counters.ts'
import { createRelationReader } from './read-objects.ts'

/** Runs reading statements within a transaction: they see what others have committed, and what the transaction has changed. */
const readRowsIn =
  (trx: Transaction<Database>, { name }: Flavour): ReadRows =>
  async (text, values) => {
    const sent = name === 'sqlite' ? text.replaceAll(/\$(\d+)/g, '?$1') : text
    const { rows } = await trx.executeQuery<Record<string, unknown>>(CompiledQuery.raw(sent, [...values]))
    return rows.map((row) => Object.values(row))
  }

/** The reads of a transaction, for checks that must still hold when it commits, and for what events say of it. */
export function createTransactionReads(
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
