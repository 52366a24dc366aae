import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { Pool } from 'pg'
import type { ReadRows } from '../../../server/src/storage/sql/read-rows.ts'

/** A connection to a database of Postern beside Postern's own; it only reads. */
export interface Connection extends AsyncDisposable {
  readRows: ReadRows
}

/** Opens a `POSTERN_DATABASE_URL` without Postern: statements are prepared once, rows come as arrays. */
export async function connect(url: string): Promise<Connection> {
  if (url.startsWith('sqlite:')) {
    const file = new DatabaseSync(url.slice('sqlite:'.length), { readOnly: true })
    const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()
    return {
      async readRows(text, values) {
        const statement = statements.get(text) ?? file.prepare(text.replaceAll(/\$(\d+)/g, '?$1'))
        statement.setReturnArrays(true)
        statements.set(text, statement)
        return statement.all(...(values as SQLInputValue[])) as unknown as unknown[][]
      },
      [Symbol.asyncDispose]: async () => file.close(),
    }
  }
  const pool = new Pool({ connectionString: url })
  const names = new Map<string, string>()
  return {
    async readRows(text, values) {
      const name = names.get(text) ?? `read_${names.size}`
      names.set(text, name)
      return (await pool.query({ name, text, values: values as unknown[], rowMode: 'array' })).rows as unknown[][]
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }
}
