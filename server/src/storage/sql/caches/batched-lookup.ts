import { createBatchLoader } from '../batch-loader.ts'
import type { PreparedQuery, Statement } from '../prepared-query.ts'

/** A question waits for at most one statement that it is not part of, and under load batches form all the same. */
export const LOOKUP_OPTIONS = { concurrency: 2, maxBatchSize: 500 }

interface Lookup<Row, Answer> extends Statement {
  /** Makes the answer to a key of its rows, of which there may be none. */
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
 * Looks things up by a text. The statement has a list of keys as `$1`, each once, and its rows say in the column `key` for which of
 * them they are. Whoever asks for the same key in one batch shares the answer.
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
