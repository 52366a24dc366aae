import { sql } from 'kysely'
import type { Clock } from '../../../lib/clock.ts'
import type { NonceStore } from '../../nonces.ts'
import { createBatchLoader } from '../batch-loader.ts'
import { createPurge } from '../purge-expired.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { createUnsteppedNow } from '../unstepped-clock.ts'

interface Asked {
  key: string
  expiresAtMs: number
  nowMs: number
}

/**
 * One statement and one commit serve all that ask within a round of the event loop, or while another one is under way. A step of the wall
 * clock forward deletes nothing early: were it taken back, what had been deleted could be used again.
 */
export function createNonceStore(database: SqlDatabase, clock: Clock): NonceStore {
  const { flavour, unsynced } = database
  const purge = createPurge(database, { table: 'nonces', key: 'key', endsAtMs: 'expires_at_ms' })
  const unsteppedNow = createUnsteppedNow(clock)

  /**
   * In order of their keys, so that processes never wait for one another in a circle; at the earliest of their moments, so that
   * for none of them a nonce has expired too soon.
   */
  const insert = async (asked: readonly Asked[]): Promise<Set<string>> => {
    const pairs = asked.map(({ key, expiresAtMs }) => [key, String(expiresAtMs)]).sort(([one], [other]) => (one! < other! ? -1 : 1))
    const nowMs = Math.min(...asked.map((each) => each.nowMs))
    await purge(asked.length, Math.min(nowMs, unsteppedNow()))
    const statement = sql<{ key: string }>`
      insert into nonces as known (key, expires_at_ms)
      select first, cast(second as bigint) from ${flavour.pairs(JSON.stringify(pairs))} where true
      on conflict (key) do update set expires_at_ms = excluded.expires_at_ms where known.expires_at_ms <= ${nowMs}
      returning key`
    const { rows } = await unsynced((db) => statement.execute(db))
    return new Set(rows.map(({ key }) => key))
  }

  /** Of those with one key the first may be accepted. */
  const accept = createBatchLoader<Asked, boolean>(async (asked) => {
    const firsts = new Map(asked.toReversed().map((each) => [each.key, each]))
    const accepted = await insert([...firsts.values()])
    return asked.map((each) => firsts.get(each.key) === each && accepted.has(each.key))
  })

  return { accept: (key, expiresAtMs, nowMs) => accept({ key, expiresAtMs, nowMs }) }
}
