import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import { nameDamage } from '../../files/damage.ts'
import type { ReadRows } from '../read-rows.ts'
import type { Database } from '../schema.ts'
import { bindable } from './dialect.ts'

/** The maximum of cached prepared statements; the oldest is evicted first. */
const STATEMENT_LIMIT = 200

/** Reads rows as arrays on a connection. */
function createReader(file: DatabaseSync, path: string) {
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

  return (text: string, values: readonly unknown[]) => {
    try {
      return prepare(text).all(...bindable(values)) as unknown as readonly unknown[][]
    } catch (error) {
      throw nameDamage(error, 'database', path)
    }
  }
}

interface ReadOptions {
  file: DatabaseSync
  path: string
  busyMs: number
  /** Throws if the path does not lead to the open file any more. */
  assertExists(): void
}

/**
 * Reads rows as arrays. While a transaction is open on the connection of `db`, another connection reads what was committed before, so that
 * nobody waits for a long one. In memory there is no other, and none is opened of a file that was taken away: there the reading waits.
 */
export function createReadRows(
  db: Kysely<Database>,
  { file, path, busyMs, assertExists }: ReadOptions,
): { readRows: ReadRows; close(): void } {
  const read = createReader(file, path)
  let beside: { file: DatabaseSync; read: typeof read } | undefined
  let mayOpen = path !== ':memory:'

  const readerBeside = () => {
    if (beside || !mayOpen) return beside?.read
    try {
      assertExists()
      const opened = new DatabaseSync(path, { readOnly: true, timeout: busyMs })
      beside = { file: opened, read: createReader(opened, path) }
    } catch {
      return undefined
    }
    return beside.read
  }

  return {
    async readRows(text, values) {
      const reader = file.isTransaction ? readerBeside() : read
      return reader ? reader(text, values) : db.connection().execute(async () => read(text, values))
    },
    close() {
      mayOpen = false
      beside?.file.close()
      beside = undefined
    },
  }
}
