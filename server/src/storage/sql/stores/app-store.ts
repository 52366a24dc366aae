import { sql, type Transaction } from 'kysely'
import { equalInConstantTime } from '../../../lib/crypto.ts'
import type { Seal } from '../../../lib/seal.ts'
import type { App, AppChanges, AppStore, AppUsage, SecretRotation } from '../../apps.ts'
import type { Flavour } from '../flavour.ts'
import { retryWhileReferenced } from '../foreign-keys.ts'
import type { Database } from '../schema.ts'
import { announce, type Exclusive, repeated, type SqlDatabase, unannounced, type Written } from '../sql-database.ts'
import { changedColumns, openApp, sealApp, sealSecrets } from './app-row.ts'

/** Locks an app for a transaction that checks and changes what belongs to it. Inserts that only reference the app do not wait for this lock. */
export const lockApp = (flavour: Flavour, appId: string): Exclusive<void> => ({
  key: `app ${appId}`,
  async lock(trx) {
    if (flavour.locksRows) await trx.selectFrom('apps').select('id').where('id', '=', appId).forNoKeyUpdate().execute()
  },
})

/** What goes with an app, each before what it refers to. */
const OF_APP = [
  'subscriptions',
  'replay_jobs',
  'webhooks',
  'bearer_tokens',
  'request_tokens',
  'user_tokens',
  'oauth2_codes',
  'oauth2_grants',
] as const

const idsOf = async (trx: Transaction<Database>, table: 'webhooks' | 'replay_jobs', appId: string) =>
  (await trx.selectFrom(table).select('id').where('app_id', '=', appId).execute()).map(({ id }) => id)

/**
 * Deletes an app with all that belongs to it; the ids of the webhooks that it had. Its own row goes last: whoever adds to it without its
 * lock is waited for, and found by the next try.
 */
const removeApp = ({ flavour, inExclusiveTransaction }: SqlDatabase, id: string): Promise<string[] | undefined> =>
  retryWhileReferenced(() =>
    inExclusiveTransaction(lockApp(flavour, id), async (trx): Promise<Written<string[] | undefined>> => {
      const app = await trx.selectFrom('apps').select('id').where('id', '=', id).executeTakeFirst()
      if (!app) return repeated(undefined)
      const [webhooks, replays] = [await idsOf(trx, 'webhooks', id), await idsOf(trx, 'replay_jobs', id)]
      for (const table of OF_APP) await trx.deleteFrom(table).where('app_id', '=', id).execute()
      await trx.deleteFrom('apps').where('id', '=', id).execute()
      const gone = [
        ...replays.map((replay) => ({ kind: 'replay', id: replay }) as const),
        ...webhooks.map((webhook) => ({ kind: 'webhook', id: webhook }) as const),
      ]
      return announce(webhooks, ...gone, { kind: 'app', id })
    }),
  )

const isEmpty = (changes: AppChanges) => Object.values(changes).every((value) => value === undefined)

export function createAppStore(database: SqlDatabase, seal: Seal): AppStore {
  const { db, flavour, inTransaction, inExclusiveTransaction } = database

  const one = async (
    column: 'id' | 'consumer_key' | 'oauth2_client_id',
    value: string,
    from: SqlDatabase['db'] = db,
  ): Promise<App | undefined> => {
    const row = await from.selectFrom('apps').selectAll().where(column, '=', value).executeTakeFirst()
    return row && openApp(seal, row)
  }

  const rotated = (app: App, { secret, previousUntilMs }: SecretRotation): App => ({
    ...app,
    consumerSecret: secret,
    secretVersion: app.secretVersion + 1,
    previousConsumerSecret: app.consumerSecret,
    previousSecretUntilMs: previousUntilMs,
  })

  /** The app itself, unless its overlap ends earlier now. */
  const withOverlap = (app: App, { previousUntilMs }: SecretRotation): App => {
    const untilMs = app.previousSecretUntilMs
    if (untilMs === null || (previousUntilMs !== null && previousUntilMs >= untilMs)) return app
    return { ...app, previousSecretUntilMs: previousUntilMs }
  }

  const update = (id: string, changesOf: (app: App) => AppChanges, rotation?: SecretRotation) =>
    inExclusiveTransaction(lockApp(flavour, id), async (trx): Promise<Written<App | undefined>> => {
      const app = await one('id', id, trx)
      if (!app) return unannounced(undefined)
      const changes = changesOf(app)
      const isNew = rotation && !equalInConstantTime(rotation.secret, app.consumerSecret)
      const after = rotation ? (isNew ? rotated : withOverlap)(app, rotation) : app
      const secrets = after !== app && sealSecrets(seal, after)
      if (!secrets && isEmpty(changes)) return repeated(app)
      const portals = (changes.endsPortals || changes.suspended) && { portal_generation: app.portalGeneration + 1 }
      const row = await trx
        .updateTable('apps')
        .set({ ...changedColumns(seal, changes), ...secrets, ...portals })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow()
      return announce(openApp(seal, row), { kind: 'app', id })
    })

  return {
    byId: (id) => one('id', id),
    byConsumerKey: (consumerKey) => one('consumer_key', consumerKey),
    byOAuth2ClientId: (clientId) => one('oauth2_client_id', clientId),
    async list(afterId, limit) {
      const rows = await db
        .selectFrom('apps')
        .selectAll()
        .$if(afterId !== null, (query) =>
          query.where(sql<boolean>`(created_at_ms, id) > (select created_at_ms, id from apps where id = ${afterId})`),
        )
        .orderBy('created_at_ms')
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map((row) => openApp(seal, row))
    },
    insert: (app) =>
      inTransaction(async (trx) => {
        const result = await trx
          .insertInto('apps')
          .values(sealApp(seal, app))
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
        return result.numInsertedOrUpdatedRows === 1n ? announce(true, { kind: 'app', id: app.id }) : unannounced(false)
      }),
    update: (id, changes, rotation) => update(id, typeof changes === 'function' ? changes : () => changes, rotation),
    remove: (id) => removeApp(database, id),
  }
}

/** Counts do not wait for the fsync: a loss of power may lose the last of them. A process whose clock is behind counts into the newer month. */
export const createAppUsage = ({ db, flavour, unsynced }: SqlDatabase): AppUsage => ({
  async add(counts, month) {
    if (counts.size === 0) return
    const rows = JSON.stringify([...counts].map(([appId, { deliveries, events }]) => [appId, String(deliveries), String(events)]))
    const sumOf = (name: 'deliveries' | 'events') =>
      sql.raw(`case when excluded.month > known.month then excluded.${name} else known.${name} + excluded.${name} end`)
    // In order of the apps, so that processes never wait for one another in a circle.
    const statement = sql`
      insert into app_usage as known (app_id, month, deliveries, events)
      select apps.id, cast(${month} as integer), cast(given.deliveries as bigint), cast(given.events as bigint)
      from ${flavour.rows(rows, ['app_id', 'deliveries', 'events'])} join apps on apps.id = given.app_id
      where true order by apps.id
      on conflict (app_id) do update set
        deliveries = ${sumOf('deliveries')},
        events = ${sumOf('events')},
        month = case when excluded.month > known.month then excluded.month else known.month end`
    await unsynced((connection) => statement.execute(connection))
  },
  async of(appIds, month) {
    const columns = db.selectFrom('app_usage').select(['app_id', 'deliveries', 'events'])
    const wanted = sql<string>`(select value from ${flavour.values(JSON.stringify(appIds))})`
    const found = await columns.where('app_id', 'in', wanted).where('month', '>=', month).execute()
    return new Map(found.map(({ app_id, ...counts }) => [app_id, counts]))
  },
})
