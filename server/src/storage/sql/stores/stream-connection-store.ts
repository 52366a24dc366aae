import { sql } from 'kysely'
import type { StreamConnections } from '../../stream-connections.ts'
import { announce, type SqlDatabase, unannounced, type Written } from '../sql-database.ts'
import { lockApp } from './app-store.ts'

/** The use of a stream is written down at most so often, because caches are told of it. */
const NOTED_EVERY_MS = 60 * 60_000

type Opening = Awaited<ReturnType<StreamConnections['open']>>

/** Removes what a dead process with this worker number left. For a process that has just taken the number. */
export const releaseStreamConnections = (worker: number) => `delete from stream_connections where worker = ${worker}`

export const createStreamConnections = (
  { db, flavour, write, inExclusiveTransaction, unsynced }: SqlDatabase,
  worker: number,
  livingWorkers: () => Promise<number[]>,
): StreamConnections => ({
  async open({ id, appId, createdAtMs }, limit) {
    const living = await livingWorkers()
    return inExclusiveTransaction(lockApp(flavour, appId), async (trx): Promise<Written<Opening>> => {
      const app = await trx.selectFrom('apps').select('streamed_at_ms').where('id', '=', appId).executeTakeFirst()
      if (!app) return unannounced('no-app')
      const ofApp = await trx.selectFrom('stream_connections').select(['id', 'worker']).where('app_id', '=', appId).execute()
      const left = ofApp.filter((connection) => !living.includes(connection.worker)).map((connection) => connection.id)
      if (ofApp.length - left.length >= limit) return unannounced('limit')
      if (left.length > 0) await trx.deleteFrom('stream_connections').where('id', 'in', left).execute()
      await trx.insertInto('stream_connections').values({ id, app_id: appId, worker, created_at_ms: createdAtMs }).execute()
      if (createdAtMs - (app.streamed_at_ms ?? 0) < NOTED_EVERY_MS) return unannounced('opened')
      await trx.updateTable('apps').set({ streamed_at_ms: createdAtMs }).where('id', '=', appId).execute()
      return announce('opened', { kind: 'streams' })
    })
  },
  async list({ appId, after, limit }) {
    const rows = await db
      .selectFrom('stream_connections')
      .selectAll()
      .where('worker', 'in', await livingWorkers())
      .where('id', '>', after ?? '')
      .$if(appId !== undefined, (query) => query.where('app_id', '=', appId!))
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map((row) => ({ id: row.id, appId: row.app_id, worker: row.worker, createdAtMs: row.created_at_ms }))
  },
  async close(ids) {
    const given = JSON.stringify(ids)
    await unsynced((db) =>
      sql`delete from stream_connections where id in (select value from ${flavour.values(given)}) and worker = ${worker}`.execute(db),
    )
  },
  noteUse: (appIds, nowMs) =>
    write(async (trx) => {
      const given = JSON.stringify(appIds)
      await sql`update apps set streamed_at_ms = ${nowMs} where id in (select value from ${flavour.values(given)})`.execute(trx)
      return announce(undefined, { kind: 'streams' })
    }),
})
