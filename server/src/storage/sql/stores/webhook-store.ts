import { sql, type Transaction } from 'kysely'
import type { Clock } from '../../../lib/clock.ts'
import type { Webhook, WebhookStore } from '../../webhooks.ts'
import type { Database } from '../schema.ts'
import { announce, type SqlDatabase, unannounced } from '../sql-database.ts'
import { lockApp } from './lock-app.ts'
import { createWebhookChallenges } from './webhook-challenges.ts'
import { webhookFromRow, webhookToRow } from './webhook-row.ts'

/** Cancels the running replay of a webhook and marks all of its jobs as reported. Returns the ids of the cancelled jobs. */
async function endReplays(trx: Transaction<Database>, webhookId: string, nowMs: number): Promise<string[]> {
  const cancelled = await trx
    .updateTable('replay_jobs')
    .set({ state: 'cancelled', finished_at_ms: nowMs })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'running')
    .returning('id')
    .execute()
  await trx.updateTable('replay_jobs').set({ reported: true }).where('webhook_id', '=', webhookId).execute()
  return cancelled.map((row) => row.id)
}

export function createWebhookStore(database: SqlDatabase, clock: Clock): WebhookStore {
  const { db, flavour, inExclusiveTransaction } = database

  const byUrl = async (from: SqlDatabase['db'], appId: string, normalUrl: string): Promise<Webhook | undefined> => {
    const found = from.selectFrom('webhooks').selectAll().where('app_id', '=', appId).where('normal_url', '=', normalUrl)
    const row = await found.executeTakeFirst()
    return row && webhookFromRow(row)
  }

  const count = async (from: SqlDatabase['db'], appId: string): Promise<number> => {
    const counted = from.selectFrom('webhooks').select((it) => it.fn.countAll<number>().as('count'))
    return (await counted.where('app_id', '=', appId).executeTakeFirstOrThrow()).count
  }

  const register: WebhookStore['register'] = (webhook, limit) =>
    inExclusiveTransaction(lockApp(flavour, webhook.appId), async (trx) => {
      if (await byUrl(trx, webhook.appId, webhook.normalUrl)) return unannounced('duplicate')
      if (limit !== Number.POSITIVE_INFINITY && (await count(trx, webhook.appId)) >= limit) return unannounced('limit')
      await trx.insertInto('webhooks').values(webhookToRow(webhook)).execute()
      return announce('created', { kind: 'webhook', id: webhook.id })
    })

  const remove: WebhookStore['remove'] = (appId, id) =>
    inExclusiveTransaction(lockApp(flavour, appId), async (trx) => {
      const webhook = await trx.selectFrom('webhooks').select('id').where('id', '=', id).where('app_id', '=', appId).executeTakeFirst()
      if (!webhook) return unannounced(false)
      await trx.deleteFrom('subscriptions').where('webhook_id', '=', id).execute()
      await trx.deleteFrom('webhooks').where('id', '=', id).execute()
      const replays = (await endReplays(trx, id, clock.now())).map((job) => ({ kind: 'replay', id: job }) as const)
      return announce(true, ...replays, { kind: 'webhook', id })
    })

  const listAll: WebhookStore['listAll'] = async ({ appId, valid, after, limit }) => {
    const rows = db
      .selectFrom('webhooks')
      .selectAll()
      .$if(appId !== undefined, (query) => query.where('app_id', '=', appId!))
      // Written out, so that the index of the invalid ones is used.
      .$if(valid !== undefined, (query) => query.where('valid', '=', sql.lit(valid!)))
      .$if(after !== null, (query) => query.where('id', '>', after!))
    return (await rows.orderBy('id').limit(limit).execute()).map(webhookFromRow)
  }

  return {
    async byId(id) {
      const row = await db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst()
      return row && webhookFromRow(row)
    },
    async list(appId) {
      const own = db.selectFrom('webhooks').selectAll().where('app_id', '=', appId)
      return (await own.orderBy('created_at_ms').orderBy('id').execute()).map(webhookFromRow)
    },
    listAll,
    byUrl: (appId, normalUrl) => byUrl(db, appId, normalUrl),
    count: (appId) => count(db, appId),
    async countAll() {
      const counts = sql<{ total: number; invalid: number }>`select (select count(*) from webhooks) as total,
        (select count(*) from webhooks where valid = false) as invalid`
      const { total, invalid } = (await counts.execute(db)).rows[0]!
      return { valid: total - invalid, invalid }
    },
    register,
    remove,
    ...createWebhookChallenges(database),
  }
}
