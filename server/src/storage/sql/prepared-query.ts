import type { PoolClient, QueryConfig } from 'pg'
import type { Shared } from '../postgres/shared-connections.ts'
import { isOutdatedPlan } from '../unavailable.ts'
import { forgetPlans, preparedStatements } from './prepared-statements.ts'
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

/** An error without an SQLSTATE of the server is one of the connection. */
const isLost = (error: unknown) => !/^(?=.*\d)(?!08|57P)[0-9A-Z]{5}$/.test(String((error as { code?: unknown }).code))

type Query = QueryConfig & { rowMode?: 'array' }

/** Whether a connection is of no use after an error: it is broken, or has an outdated plan. */
const isSpentBy = (error: unknown) => isOutdatedPlan(error) || isLost(error)

/** Runs a statement. An outdated one runs again on another connection. */
async function run<Row>(shared: Shared, queryOn: (client: PoolClient) => Promise<Query> | Query): Promise<Row[]> {
  const ask = async (client: PoolClient) => {
    const query = queryOn(client)
    const { rows } = await client.query((query instanceof Promise ? await query : query) as QueryConfig)
    return rows as Row[]
  }
  return shared(ask, isSpentBy).catch((error) => {
    if (!isOutdatedPlan(error)) throw error
    forgetPlans()
    return run(shared, queryOn)
  })
}

/** Runs statements without Kysely, which would build and compile them each time. */
export const createPreparedQuery =
  (shared: Shared): PreparedQuery =>
  <Row>({ name, text }: Statement, values: readonly unknown[]) =>
    run<Row>(shared, () => ({ name, text, values: values as unknown[] }))

/** Runs statements whose rows are arrays. Each connection plans those that it runs often once. */
export const createRowQuery =
  (shared: Shared): ReadRows =>
  (text, values) =>
    run(shared, (client) => {
      const queryNamed = (name: string): Query => ({ name, text, values: values as unknown[], rowMode: 'array' })
      const statements = preparedStatements(client)
      return statements instanceof Promise
        ? statements.then((ready) => queryNamed(ready.nameOf(text)))
        : queryNamed(statements.nameOf(text))
    })
