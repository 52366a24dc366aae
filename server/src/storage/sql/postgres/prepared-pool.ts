import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { assertFewWait } from '../../postgres/pool.ts'
import { preparedStatements } from '../prepared-statements.ts'

/** A pool for Kysely whose connections plan statements that they run often once. */
export function preparedPool(pool: Pool): PostgresPool {
  const prepared = async (client: PoolClient): Promise<PostgresPoolClient> => {
    const statements = await preparedStatements(client)
    return {
      query: ((text: string, values: readonly unknown[]) =>
        client.query({ name: statements.nameOf(text), text, values: [...values] })) as unknown as PostgresPoolClient['query'],
      release: (destroy) => client.release(destroy),
    }
  }

  return {
    options: {},
    async connect() {
      assertFewWait(pool)
      const client = await pool.connect()
      return prepared(client).catch((error) => {
        client.release(true)
        throw error
      })
    },
    end: () => pool.end(),
  }
}
