import type { Pool, PoolClient } from 'pg'
import { keysOnly } from '../../postgres/planner-settings.ts'

/** Has the rest of a transaction find rows by their keys alone, after it picked them in the order of an index. */
export const planKeysOnly = (client: PoolClient) => client.query(keysOnly.map((setting) => `set local ${setting}`).join('; '))

/** Runs `work` in one transaction; a connection on which it failed is given up. */
export async function inTransaction<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}
