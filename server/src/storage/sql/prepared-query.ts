import type { Pool } from 'pg'

/** A prepared statement: each connection plans it once, under its name. */
export interface Statement {
  name: string
  text: string
}

/**
 * Matches any text of `$1`. The subquery hides the number of texts from the planner. With `any($1)` it would prefer a custom plan for that
 * number and plan each execution again, which costs more than the execution.
 */
export const ANY_KEY = 'any((select $1::text[])::text[])'

/** Runs one statement, outside any transaction. */
export type PreparedQuery = <Row>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>

/** SQLSTATE feature_not_supported: the columns of a table have changed since this connection planned the statement. */
const isOutdated = (error: unknown) => (error as { code?: unknown }).code === '0A000'

/** An error without an SQLSTATE of the server is one of the connection. */
const isLost = (error: unknown) => !/^(?=.*\d)(?!08|57P)[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code))

/** Runs statements without Kysely, which would build and compile them each time. A broken connection, or one with an outdated plan, is closed. */
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
