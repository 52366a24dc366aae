import type { Pool } from 'pg'

/** Each table by its key: none of them is walked, however large it is. */
const readText = ['log_event', 'log_delivery', 'log_open', 'log_attempt']
  .map((table) => `select count(*) from ${table} where sequence = -1${table === 'log_delivery' ? " and webhook_id = ''" : ''}`)
  .join(' union all ')

const NO_EVENT = -1
const BYTES = 1_500

/** A row as large as an event, which is taken back. */
async function writeAndTakeBack(pool: Pool) {
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

/** Tells whether the log can be read, and, once a commit has failed, whether it can be written again. */
export function createProbe(pool: Pool) {
  let hasFailed = false
  return {
    /** Attempts cannot be committed, or, with null, can be again. */
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
      if (hasFailed) await writeAndTakeBack(pool)
      hasFailed = false
    },
  }
}
