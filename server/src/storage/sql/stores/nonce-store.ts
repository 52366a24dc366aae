import { sql } from 'kysely'
import type { Clock } from '../../../lib/clock.ts'
import type { NonceStore } from '../../nonces.ts'
import { createBatchLoader } from '../batch-loader.ts'
import { createPurge } from '../purge-expired.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { createUnsteppedNow } from '../unstepped-clock.ts'

interface NonceRequest {
  key: string
  expiresAtMs: number
  nowMs: number
}

/**
 * Batches nonces: those of one turn of the event loop, or those that arrive during a statement, share one statement and one commit. When the
 * wall clock steps forward, nothing is deleted early: if the step were reversed, deleted nonces could be used again.
 */
export function createNonceStore(database: SqlDatabase, clock: Clock): NonceStore {
  const { flavour, unsynced } = database
  const purge = createPurge(database, { table: 'nonces', key: 'key', endsAtMs: 'expires_at_ms' })
  const unsteppedNow = createUnsteppedNow(clock)

  /**
   * Inserts in the order of the keys, to avoid deadlocks between processes. Uses the earliest time of the batch, so that no nonce expires
   * too early for one of the requests.
   */
  const insert = async (requests: readonly NonceRequest[]): Promise<Set<string>> => {
    const pairs = requests.map(({ key, expiresAtMs }) => [key, String(expiresAtMs)]).sort(([one], [other]) => (one! < other! ? -1 : 1))
    const nowMs = Math.min(...requests.map((request) => request.nowMs))
    await purge(requests.length, Math.min(nowMs, unsteppedNow()))
    const statement = sql<{ key: string }>`
      insert into nonces as known (key, expires_at_ms)
      select first, cast(second as bigint) from ${flavour.pairs(JSON.stringify(pairs))} where true
      on conflict (key) do update set expires_at_ms = excluded.expires_at_ms where known.expires_at_ms <= ${nowMs}
      returning key`
    const { rows } = await unsynced((db) => statement.execute(db))
    return new Set(rows.map(({ key }) => key))
  }

  /** Of several requests with one key only the first can be accepted. */
  const accept = createBatchLoader<NonceRequest, boolean>(async (requests) => {
    const firsts = new Map(requests.toReversed().map((request) => [request.key, request]))
    const accepted = await insert([...firsts.values()])
    return requests.map((request) => firsts.get(request.key) === request && accepted.has(request.key))
  })

  return { accept: (key, expiresAtMs, nowMs) => accept({ key, expiresAtMs, nowMs }) }
}
