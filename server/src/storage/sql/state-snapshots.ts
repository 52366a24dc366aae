import type { Copied } from '../files/table-copies.ts'
import type { Snapshots } from '../snapshots.ts'
import { releaseClaims } from './catalogs/due-rows.ts'
import type { Engine } from './engine.ts'
import { KEPT_METADATA } from './kept-metadata.ts'
import { runAll } from './run-all.ts'
import { announce, type SqlDatabase } from './sql-database.ts'
import { releaseReplayJobs } from './stores/replay-job-store.ts'
import { releaseResendJobs } from './stores/resend-job-store.ts'

/** What says which database this is, and what is about processes and connections. */
const KEPT = ['migrations', 'schema_changes', 'worker_leases', 'caching_processes', 'stream_connections', 'hour_parts', 'app_loads']

const ofState: Copied = (table) => {
  if (KEPT.includes(table) || table.startsWith('log_')) return undefined
  return table === 'metadata' ? `name not in (${KEPT_METADATA.map((name) => `'${name}'`).join()})` : 'true'
}

/** Copies of the whole state, memberships included. What a restore brings back of claims is released, and all caches are told. */
export function createStateSnapshots(engine: Engine, database: SqlDatabase): Snapshots {
  const state = engine.snapshots(ofState)
  const members = engine.memberships.snapshots
  return {
    save: async (name) => (await members.save(name)) + (await state.save(name)),
    async restore(name) {
      await members.restore(name)
      await state.restore(name)
      const { db, flavour, worker } = engine
      await runAll(db, flavour, [releaseReplayJobs(worker), releaseResendJobs(worker), ...releaseClaims(worker)])
      await database.write(async () => announce(undefined, { kind: 'everything' }))
    },
    async drop(name) {
      await members.drop(name)
      await state.drop(name)
    },
  }
}
