import type { Kysely } from 'kysely'
import type { Clock } from '../../../lib/clock.ts'
import type { NonceStore } from '../../nonces.ts'
import { createBatchLoader } from '../batch-loader.ts'
import { postgresFlavour } from '../flavour.ts'
import type { PreparedQuery } from '../prepared-query.ts'
import { createPurge } from '../purge-expired.ts'
import type { Database } from '../schema.ts'
import { createUnsteppedNow } from '../unstepped-clock.ts'

interface NonceRequest {
  key: string
  expiresAtMs: number
  nowMs: number
}

const statement = {
  name: 'nonces-accept',
  text: `
    insert into nonces as known (key, expires_at_ms) select * from unnest($1::text[], $2::bigint[])
    on conflict (key) do update set expires_at_ms = excluded.expires_at_ms where known.expires_at_ms <= $3
    returning key`,
}

/**
 * Nonces that all processes of a database share. Those of one turn of the event loop, or those that arrive during a statement, share one
 * statement and one commit; `unsynced` runs it. When the wall clock steps forward, nothing is deleted early: if the step were reversed,
 * deleted nonces could be used again.
 */
export function createTableNonces(unsynced: PreparedQuery, db: Kysely<Database>, clock: Clock): NonceStore {
  const purge = createPurge({ unannounced: db, flavour: postgresFlavour }, { table: 'nonces', key: 'key', endsAtMs: 'expires_at_ms' })
  const unsteppedNow = createUnsteppedNow(clock)

  /**
   * Inserts in the order of the keys, to avoid deadlocks between processes. Uses the earliest time of the batch, so that no nonce expires
   * too early for one of the requests.
   */
  const insert = async (requests: readonly NonceRequest[]): Promise<Set<string>> => {
    const inOrder = requests.toSorted((one, other) => (one.key < other.key ? -1 : 1))
    const nowMs = Math.min(...requests.map((request) => request.nowMs))
    await purge(requests.length, Math.min(nowMs, unsteppedNow()))
    const columns = [inOrder.map(({ key }) => key), inOrder.map(({ expiresAtMs }) => expiresAtMs)]
    return new Set((await unsynced<{ key: string }>(statement, [...columns, nowMs])).map(({ key }) => key))
  }

  /** Of several requests with one key only the first can be accepted. */
  const accept = createBatchLoader<NonceRequest, boolean>(async (requests) => {
    const firsts = new Map(requests.toReversed().map((request) => [request.key, request]))
    const accepted = await insert([...firsts.values()])
    return requests.map((request) => firsts.get(request.key) === request && accepted.has(request.key))
  })

  return { accept: (key, expiresAtMs, nowMs) => accept({ key, expiresAtMs, nowMs }) }
}
