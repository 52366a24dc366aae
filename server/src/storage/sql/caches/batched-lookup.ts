import { createBatchLoader } from '../batch-loader.ts'
import type { PreparedQuery, Statement } from '../prepared-query.ts'

/** With two statements a question waits for at most one that it is not part of, and batches still form under load. */
export const LOOKUP_OPTIONS = { concurrency: 2, maxBatchSize: 500 }

interface Lookup<Row, Answer> extends Statement {
  /** Converts the rows of a key, maybe none, to its answer. */
  read(rows: readonly Row[]): Answer
}

function tryTo<Answer>(read: () => Answer): Answer | Error {
  try {
    return read()
  } catch (error) {
    return error as Error
  }
}

/**
 * Batches lookups by a text key. `$1` of the statement is the list of distinct keys; its rows have their key in the column `key`. Lookups of
 * the same key in one batch share the answer.
 */
export function createLookup<Row extends object, Answer>(query: PreparedQuery, { read, ...statement }: Lookup<Row, Answer>) {
  return createBatchLoader<string, Answer>(async (asked) => {
    const keys = [...new Set(asked)]
    const rows = Map.groupBy(await query<Row & { key: string }>(statement, [keys]), ({ key }) => key)
    const answers = new Map(keys.map((key) => [key, tryTo(() => read(rows.get(key) ?? []))]))
    return asked.map((key) => answers.get(key)!)
  }, LOOKUP_OPTIONS)
}

/** For keys that have at most one row. */
export const createRowLookup = <Row extends object, Answer>(
  query: PreparedQuery,
  { read, ...statement }: Statement & { read(row: Row): Answer },
): ((key: string) => Promise<Answer | undefined>) =>
  createLookup<Row, Answer | undefined>(query, { ...statement, read: ([row]) => row && read(row) })
