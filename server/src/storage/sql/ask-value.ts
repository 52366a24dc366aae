import { type Kysely, sql } from 'kysely'
import { createBatchLoader } from './batch-loader.ts'
import type { Database } from './schema.ts'

/** Runs a query without parameters that selects one value. */
export type AskValue = <Value>(query: string) => Promise<Value>

/** SQLSTATEs of what one question asks: of data, of names and privileges, of limits, internal ones such as of a corrupt table. */
const OF_STATEMENT = /^(21|22|42|54|XX)...$/

/** One of the questions may be to blame. It is not for a timeout or a lost connection, and SQLite has neither. */
const isOfStatement = ({ errcode, code }: { errcode?: unknown; code?: unknown }) => errcode !== undefined || OF_STATEMENT.test(String(code))

/** Asks the questions of one turn with one statement: a start has a dozen. If one of them is wrong, each is asked by itself. */
export function createAskValue(db: Kysely<Database>): AskValue {
  const ask = async (queries: readonly string[]): Promise<unknown[]> => {
    const selected = queries.map((query, at) => `(${query}) as v${at}`)
    const row = (await sql.raw<Record<string, unknown>>(`select ${selected.join()}`).execute(db)).rows[0]!
    return queries.map((_, at) => row[`v${at}`])
  }
  const load = createBatchLoader<string, unknown>(async (queries) => {
    try {
      return await ask(queries)
    } catch (error) {
      if (queries.length === 1 || !isOfStatement(error as object)) throw error
      return Promise.all(
        queries.map((query) =>
          ask([query]).then(
            ([value]) => value,
            (reason: Error) => reason,
          ),
        ),
      )
    }
  })
  return <Value>(query: string) => load(query) as Promise<Value>
}
