import type { Pool } from 'pg'

/** A fixed text with `$1` and so on, which each connection plans once, under its name. */
export interface Statement {
  name: string
  text: string
}

/**
 * Any of the texts of `$1`. Within a subquery the planner does not see how many there are: with `any($1)` it sees it, finds a plan for
 * just so many cheaper than one for all lists, and plans each execution anew, which costs more than the execution.
 */
export const ANY_KEY = 'any((select $1::text[])::text[])'

/** Runs one statement, outside any transaction. */
export type PreparedQuery = <Row>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>

/** SQLSTATE feature_not_supported: a table has other columns than when this connection planned the statement. */
const isOutdated = (error: unknown) => (error as { code?: unknown }).code === '0A000'

/** An error without a code of the server's is one of the connection. */
const isLost = (error: unknown) => !/^(?=.*\d)(?!08|57P)[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code))

/** Asks past Kysely, which builds and compiles each statement again. A connection that broke or has an outdated plan is closed. */
export function createPreparedQuery(pool: Pool): PreparedQuery {
  return async function query<Row>({ name, text }: Statement, values: readonly unknown[]): Promise<Row[]> {
    const client = await pool.connect()
    try {
      const { rows } = await client.query({ name, text, values: values as unknown[] })
      client.release()
      return rows
    } catch (error) {
      client.release(isOutdated(error) || isLost(error))
      if (isOutdated(error)) return query({ name, text }, values)
      throw error
    }
  }
}
