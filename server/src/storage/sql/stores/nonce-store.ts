import type { Clock } from '../../../lib/clock.ts'
import { HOUR_MS } from '../../../lib/time.ts'
import type { NonceStore } from '../../nonces.ts'
import { createBatchLoader } from '../batch-loader.ts'
import type { PreparedQuery } from '../prepared-query.ts'
import { createPurge } from '../purge-expired.ts'
import type { SqlDatabase } from '../sql-database.ts'

const MAX_BEHIND_MS = 24 * HOUR_MS

/**
 * The wall clock without the steps forward since this was created, at most a day behind it. For deletions that would be wrong if a step of the clock
 * is reversed later.
 */
function createUnsteppedNow(clock: Clock): () => number {
  let aheadMs = clock.now() - clock.elapsed()
  return () => {
    const [nowMs, elapsedMs] = [clock.now(), clock.elapsed()]
    aheadMs = Math.min(aheadMs, nowMs - elapsedMs)
    return Math.max(elapsedMs + aheadMs, nowMs - MAX_BEHIND_MS)
  }
}

interface NonceRequest {
  key: string
  expiresAtMs: number
  nowMs: number
  requestId: number | undefined
}

/**
 * Inserts nonces with one statement, whose commit does not wait for the disk. A key that is known is inserted only if it has expired by
 * `nowMs`, or is of the same request. Answers the keys that were inserted.
 */
type InsertNonces = (
  keys: readonly string[],
  expiriesMs: readonly number[],
  requestIds: readonly (number | null)[],
  nowMs: number,
) => Promise<readonly { key: string }[]>

const textOf = (given: string, now: string) => `
  insert into nonces as known (key, expires_at_ms, request_id) ${given}
  on conflict (key) do update set expires_at_ms = excluded.expires_at_ms, request_id = excluded.request_id
    where known.expires_at_ms <= ${now} or known.request_id = excluded.request_id
  returning key`

const onPostgres = { name: 'nonces-accept', text: textOf('select * from unnest($1::text[], $2::bigint[], $3::bigint[])', '$4') }
/** The statement on SQLite: of key, expiry and request of each as JSON, and the time. */
export const nonceStatement = textOf('select value ->> 0, value ->> 1, value ->> 2 from json_each(?1) where true', '?2')

/** On PostgreSQL. `unsynced` runs statements whose commits do not wait for the disk. */
export const insertNonces =
  (unsynced: PreparedQuery): InsertNonces =>
  (...values) =>
    unsynced(onPostgres, values)

/** On SQLite. `insert` runs the statement. */
export const insertNoncesOfFile =
  (insert: (nonces: string, nowMs: number) => Promise<unknown[][]>): InsertNonces =>
  async (keys, expiriesMs, requestIds, nowMs) => {
    const rows = await insert(JSON.stringify(keys.map((key, at) => [key, expiriesMs[at], requestIds[at]])), nowMs)
    return rows.map(([key]) => ({ key: key as string }))
  }

/**
 * Used nonces in a table, which all processes of a database share. Those of one turn of the event loop, or those that arrive during a
 * statement, share one statement and one commit. When the wall clock steps forward, nothing is deleted early: if the step were reversed,
 * deleted nonces could be used again.
 */
export function createNonceStore(insert: InsertNonces, database: Pick<SqlDatabase, 'unannounced' | 'flavour'>, clock: Clock): NonceStore {
  const purge = createPurge(database, { table: 'nonces', key: 'key', endsAtMs: 'expires_at_ms' })
  const unsteppedNow = createUnsteppedNow(clock)

  /**
   * Inserts in the order of the keys, to avoid deadlocks between processes. Uses the earliest time of the batch, so that no nonce expires
   * too early for one of the requests.
   */
  const insertAll = async (requests: readonly NonceRequest[]): Promise<Set<string>> => {
    const inOrder = requests.toSorted((one, other) => (one.key < other.key ? -1 : 1))
    const nowMs = Math.min(...requests.map((request) => request.nowMs))
    await purge(requests.length, Math.min(nowMs, unsteppedNow()))
    const keys = inOrder.map(({ key }) => key)
    const expiriesMs = inOrder.map(({ expiresAtMs }) => expiresAtMs)
    const requestIds = inOrder.map(({ requestId = null }) => requestId)
    return new Set((await insert(keys, expiriesMs, requestIds, nowMs)).map(({ key }) => key))
  }

  /** Of several with one key only the earliest request can be accepted. It may ask again, and have stored the key. */
  const accept = createBatchLoader<NonceRequest, boolean>(async (requests) => {
    const firsts = new Map<string, NonceRequest>()
    for (const request of requests) {
      const first = firsts.get(request.key)
      if (!first || (request.requestId ?? Infinity) < (first.requestId ?? Infinity)) firsts.set(request.key, request)
    }
    const accepted = await insertAll([...firsts.values()])
    return requests.map((request) => firsts.get(request.key) === request && accepted.has(request.key))
  })

  return { accept: (key, expiresAtMs, nowMs, requestId) => accept({ key, expiresAtMs, nowMs, requestId }) }
}
