import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import { nameDamage } from '../../files/damage.ts'
import type { ReadRows } from '../read-rows.ts'
import type { Database } from '../schema.ts'
import { bindable } from './dialect.ts'

/** The maximum of cached prepared statements; the oldest is evicted first. */
const STATEMENT_LIMIT = 200

/** Reads rows as arrays on the connection of `db`: while a transaction is open on it, the reading waits for its end. */
export function createReadRows(db: Kysely<Database>, file: DatabaseSync, path: string): ReadRows {
  const statements = new Map<string, StatementSync>()

  function prepare(text: string): StatementSync {
    const known = statements.get(text)
    if (known) return known
    if (statements.size >= STATEMENT_LIMIT) statements.delete(statements.keys().next().value!)
    const statement = file.prepare(text.replaceAll(/\$(\d+)/g, '?$1'))
    statement.setReturnArrays(true)
    statements.set(text, statement)
    return statement
  }

  const read = (text: string, values: readonly unknown[]) => {
    try {
      return prepare(text).all(...bindable(values)) as unknown as readonly unknown[][]
    } catch (error) {
      throw nameDamage(error, 'database', path)
    }
  }

  return async (text, values) => (file.isTransaction ? db.connection().execute(async () => read(text, values)) : read(text, values))
}
