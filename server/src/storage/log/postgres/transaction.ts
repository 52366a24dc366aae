import type { Pool, PoolClient } from 'pg'
import { keysOnly } from '../../postgres/planner-settings.ts'

/** For the rest of the transaction the planner finds rows by primary key only. Call it after rows were picked in index order. */
export const planKeysOnly = (client: PoolClient) => client.query(keysOnly.map((setting) => `set local ${setting}`).join('; '))

/** Runs `work` in one transaction. If it fails, the connection is discarded. */
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
