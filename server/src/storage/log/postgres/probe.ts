import type { Pool } from 'pg'

/** Reads each table by its key, so that the size of the tables does not matter. */
const readText = ['log_event', 'log_delivery', 'log_open', 'log_attempt']
  .map((table) => `select count(*) from ${table} where sequence = -1${table === 'log_delivery' ? " and webhook_id = ''" : ''}`)
  .join(' union all ')

const NO_EVENT = -1
const BYTES = 1_500

/** Inserts a row as large as an event and rolls back. */
async function insertAndRollBack(pool: Pool) {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const values = [NO_EVENT, '', '', Buffer.alloc(BYTES)]
    await client.query(`insert into log_event (sequence, event_type, user_id, targets, content) values ($1, $2, $3, '{}', $4)`, values)
    await client.query('rollback')
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** Checks whether the log can be read and, after a failed commit, whether it can be written again. */
export function createProbe(pool: Pool) {
  let hasFailed = false
  return {
    /** Called with an error when attempts cannot be committed, and with null when they can again. */
    stalled(error: unknown | null) {
      hasFailed = error !== null
    },
    /** Remembers whether a commit failed. */
    async watch<T>(commit: Promise<T>): Promise<T> {
      try {
        const result = await commit
        hasFailed = false
        return result
      } catch (error) {
        hasFailed = true
        throw error
      }
    },
    async probe() {
      await pool.query(readText)
      if (hasFailed) await insertAndRollBack(pool)
      hasFailed = false
    },
  }
}
