import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { assertFewWait } from '../../postgres/pool.ts'

/** There are few statements, but a list of ids makes one for each length. Beyond this number they are planned each time. */
const MAX_PREPARED = 200

/** A pool for Kysely whose connections plan each statement once. */
export function preparedPool(pool: Pool): PostgresPool {
  const names = new Map<string, string>()

  const nameOf = (text: string): string | undefined => {
    const known = names.get(text)
    if (known !== undefined || names.size >= MAX_PREPARED) return known
    const name = `postern-${names.size}`
    names.set(text, name)
    return name
  }

  const prepared = (client: PoolClient): PostgresPoolClient => ({
    query: ((text: string, values: readonly unknown[]) =>
      client.query({ name: nameOf(text), text, values: [...values] })) as unknown as PostgresPoolClient['query'],
    release: (destroy) => client.release(destroy),
  })

  return {
    options: {},
    async connect() {
      assertFewWait(pool)
      return prepared(await pool.connect())
    },
    end: () => pool.end(),
  }
}
