import { sql, type Transaction } from 'kysely'
import type { Clock } from '../../../lib/clock.ts'
import { HOUR_MS, MINUTE_MS } from '../../../lib/time.ts'
import type { Registration, Webhook, WebhookStore } from '../../webhooks.ts'
import type { Database, NewRow, Row } from '../schema.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { lockApp } from './lock-app.ts'

/** A webhook as it is stored. */
export const webhookFromRow = (row: Row<'webhooks'>): Webhook => ({
  id: row.id,
  appId: row.app_id,
  url: row.url,
  normalUrl: row.normal_url,
  valid: Boolean(row.valid),
  createdAtMs: row.created_at_ms,
  nextChallengeAtMs: row.next_challenge_at_ms,
  provenSecretVersion: row.proven_secret_version,
})

const toRow = (webhook: Webhook): NewRow<'webhooks'> => ({
  id: webhook.id,
  app_id: webhook.appId,
  url: webhook.url,
  normal_url: webhook.normalUrl,
  valid: webhook.valid,
  created_at_ms: webhook.createdAtMs,
  next_challenge_at_ms: webhook.nextChallengeAtMs,
  proven_secret_version: webhook.provenSecretVersion,
})

/** So many that a statement stays short. */
const BROUGHT_AT_ONCE = 1000

/** Cancels the running replay of a webhook, and lets nothing be reported to it any more. The ids of the jobs that this ended. */
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

export function createWebhookStore({ db, flavour, inTransaction, inExclusiveTransaction }: SqlDatabase, clock: Clock): WebhookStore {
  const list = async (from: typeof db, appId: string) =>
    (await from.selectFrom('webhooks').selectAll().where('app_id', '=', appId).orderBy('created_at_ms').orderBy('id').execute()).map(
      webhookFromRow,
    )

  const register = (webhook: Webhook, limit: number) =>
    inExclusiveTransaction(lockApp(flavour, webhook.appId), async (trx, tell): Promise<Registration> => {
      const others = await list(trx, webhook.appId)
      if (others.some((other) => other.normalUrl === webhook.normalUrl)) return 'duplicate'
      if (others.length >= limit) return 'limit'
      await trx.insertInto('webhooks').values(toRow(webhook)).execute()
      tell({ kind: 'webhook', id: webhook.id })
      return 'created'
    })

  const remove = (appId: string, id: string) =>
    inExclusiveTransaction(lockApp(flavour, appId), async (trx, tell) => {
      const webhook = await trx.selectFrom('webhooks').select('id').where('id', '=', id).where('app_id', '=', appId).executeTakeFirst()
      if (!webhook) return false
      await trx.deleteFrom('subscriptions').where('webhook_id', '=', id).execute()
      await trx.deleteFrom('webhooks').where('id', '=', id).execute()
      for (const jobId of await endReplays(trx, id, clock.now())) tell({ kind: 'replay', id: jobId })
      tell({ kind: 'webhook', id })
      return true
    })

  const claimDue = (nowMs: number, leaseUntilMs: number, limit: number) =>
    inTransaction(async (trx) => {
      const due = await trx
        .selectFrom('webhooks')
        .selectAll()
        .where('valid', '=', true)
        .where('next_challenge_at_ms', '<=', nowMs)
        .orderBy('next_challenge_at_ms')
        .orderBy('id')
        .limit(limit)
        .$if(flavour.locksRows, (query) => query.forUpdate().skipLocked())
        .execute()
      if (due.length === 0) return []
      const ids = due.map((row) => row.id)
      await trx.updateTable('webhooks').set({ next_challenge_at_ms: leaseUntilMs }).where('id', 'in', ids).execute()
      return due.map((row) => ({ ...webhookFromRow(row), nextChallengeAtMs: leaseUntilMs }))
    })

  /** Whole hours are taken off, so that each keeps its slot. */
  const bringIntoHour = async (nowMs: number) => {
    const tooFar = db
      .selectFrom('webhooks')
      .select('id')
      .where('next_challenge_at_ms', '>', nowMs + HOUR_MS + MINUTE_MS)
      .limit(BROUGHT_AT_ONCE)
      .$if(flavour.locksRows, (query) => query.forUpdate().skipLocked())
    const brought = db
      .updateTable('webhooks')
      .set({ next_challenge_at_ms: sql<number>`${nowMs} + (next_challenge_at_ms - ${nowMs}) % ${sql.lit(HOUR_MS)}` })
      .where('id', 'in', tooFar)
    while ((await brought.executeTakeFirst()).numUpdatedRows === BigInt(BROUGHT_AT_ONCE));
  }

  return {
    async byId(id) {
      const row = await db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst()
      return row && webhookFromRow(row)
    },
    list: (appId) => list(db, appId),
    async hasUrl(appId, normalUrl) {
      const found = db.selectFrom('webhooks').select('id').where('app_id', '=', appId).where('normal_url', '=', normalUrl)
      return (await found.executeTakeFirst()) !== undefined
    },
    async count(appId) {
      const counted = db.selectFrom('webhooks').select((it) => it.fn.countAll<number>().as('count'))
      return (await counted.where('app_id', '=', appId).executeTakeFirstOrThrow()).count
    },
    register,
    async beginChallenge(id) {
      const begun = db
        .updateTable('webhooks')
        .set((it) => ({ challenges_begun: it('challenges_begun', '+', 1) }))
        .where('id', '=', id)
      const row = await begun.returningAll().executeTakeFirst()
      return row && { webhook: webhookFromRow(row), number: row.challenges_begun }
    },
    decide: (id, challenge, decision) =>
      inTransaction(async (trx, tell) => {
        const set = {
          valid: decision.valid,
          next_challenge_at_ms: decision.nextChallengeAtMs,
          decided_by: challenge,
          ...(decision.valid && { proven_secret_version: decision.provenSecretVersion }),
        }
        const isNewest = trx.updateTable('webhooks').set(set).where('id', '=', id).where('decided_by', '<', challenge)
        const stands = (await isNewest.executeTakeFirst()).numUpdatedRows === 1n
        if (stands) tell({ kind: 'webhook', id })
        return stands || (await trx.selectFrom('webhooks').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
      }),
    putOff: (id, nextChallengeAtMs, provenSecretVersion) =>
      inTransaction(async (trx, tell) => {
        const set = { next_challenge_at_ms: nextChallengeAtMs, proven_secret_version: provenSecretVersion }
        await trx.updateTable('webhooks').set(set).where('id', '=', id).where('valid', '=', true).execute()
        if (provenSecretVersion !== undefined) tell({ kind: 'webhook', id })
      }),
    remove,
    claimDue,
    bringIntoHour,
    async nextDueMs() {
      const earliest = db.selectFrom('webhooks').select((it) => it.fn.min('next_challenge_at_ms').as('at'))
      return (await earliest.where('valid', '=', true).executeTakeFirst())?.at ?? undefined
    },
  }
}
