import type { Pool, PoolClient, QueryConfig } from 'pg'
import { preparedStatements } from './prepared-statements.ts'
import type { ReadRows } from './read-rows.ts'

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

type Query = QueryConfig & { rowMode?: 'array' }

/** Runs a statement. A broken connection, or one with an outdated plan, is closed; an outdated statement runs again on another one. */
async function run<Row>(pool: Pool, queryOn: (client: PoolClient) => Promise<Query> | Query): Promise<Row[]> {
  const client = await pool.connect()
  try {
    const { rows } = await client.query((await queryOn(client)) as QueryConfig)
    client.release()
    return rows as Row[]
  } catch (error) {
    client.release(isOutdated(error) || isLost(error))
    if (isOutdated(error)) return run(pool, queryOn)
    throw error
  }
}

/** Runs statements without Kysely, which would build and compile them each time. */
export const createPreparedQuery =
  (pool: Pool): PreparedQuery =>
  <Row>({ name, text }: Statement, values: readonly unknown[]) =>
    run<Row>(pool, () => ({ name, text, values: values as unknown[] }))

/** Runs statements whose rows are arrays. Each connection plans those that it runs often once. */
export const createRowQuery =
  (pool: Pool): ReadRows =>
  (text, values) =>
    run(pool, async (client) => {
      const name = (await preparedStatements(client)).nameOf(text)
      return { name, text, values: values as unknown[], rowMode: 'array' }
    })
