import { type Kysely, sql } from 'kysely'
import { createBatchLoader } from './batch-loader.ts'
import type { Database } from './schema.ts'

/** Runs a query without parameters that selects one value. */
export type AskValue = <Value>(query: string) => Promise<Value>

/** Asks the questions of one turn with one statement: a start has a dozen. If that fails, each is asked by itself. */
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
      if (queries.length === 1) throw error
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
