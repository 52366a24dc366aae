import type { Pool, PoolClient } from 'pg'

/**
 * Plans are kept, and statistics are taken at moments when `log_open` is empty: then walking a whole index looks as cheap as finding a
 * row by its key, and stays the plan when there are a million rows. With these off there is no way but by the key.
 */
const OFF = ['enable_seqscan', 'enable_indexscan', 'enable_indexonlyscan', 'enable_hashjoin', 'enable_mergejoin']

/** As settings of a session. */
export const keysOnlySettings = OFF.map((name) => `${name} = off`)

/** For the rest of a transaction, which began by picking rows in the order of an index. */
export const keysOnly = (client: PoolClient) => client.query(keysOnlySettings.map((setting) => `set local ${setting}`).join('; '))

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
