import { sql, type Transaction } from 'kysely'
import type { Clock } from '../../../lib/clock.ts'
import { HOUR_MS, MINUTE_MS } from '../../../lib/time.ts'
import type { LastChallenge, Webhook, WebhookStore } from '../../webhooks.ts'
import type { Database, NewRow, Row } from '../schema.ts'
import { announce, type SqlDatabase, unannounced } from '../sql-database.ts'
import { hasAllRows } from './app-rows.ts'
import { lockApp } from './app-store.ts'

/** Converts a row to a webhook. */
export const webhookFromRow = (row: Row<'webhooks'>): Webhook => ({
  id: row.id,
  appId: row.app_id,
  url: row.url,
  normalUrl: row.normal_url,
  valid: Boolean(row.valid),
  createdAtMs: row.created_at_ms,
  nextChallengeAtMs: row.next_challenge_at_ms,
  provenSecretVersion: row.proven_secret_version,
  lastChallenge: row.last_challenge_at_ms === null ? null : { atMs: row.last_challenge_at_ms, failure: row.last_challenge_failure },
})

/** So much of the history of challenges is kept: about forty that passed, or six with the longest failures. */
const HISTORY_CHARACTERS = 4000

const historyLine = ({ atMs, failure }: LastChallenge) => `${JSON.stringify([atMs, failure])}\n`

/** What follows the last end of a line was cut. */
const readHistory = (history: string): LastChallenge[] =>
  history
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [atMs, failure] = JSON.parse(line) as [number, string | null]
      return { atMs, failure }
    })

const webhookToRow = (webhook: Webhook): NewRow<'webhooks'> => ({
  id: webhook.id,
  app_id: webhook.appId,
  url: webhook.url,
  normal_url: webhook.normalUrl,
  valid: webhook.valid,
  created_at_ms: webhook.createdAtMs,
  next_challenge_at_ms: webhook.nextChallengeAtMs,
  proven_secret_version: webhook.provenSecretVersion,
  last_challenge_at_ms: webhook.lastChallenge?.atMs ?? null,
  last_challenge_failure: webhook.lastChallenge?.failure ?? null,
  challenge_history: webhook.lastChallenge ? historyLine(webhook.lastChallenge) : '',
})

/** How many rows one statement updates, so that it stays short. */
const MOVED_AT_ONCE = 1000

type Challenges = Pick<WebhookStore, 'beginChallenge' | 'decide' | 'challenges' | 'postpone' | 'claimDue' | 'moveIntoHour' | 'nextDueMs'>

/** Subtracts whole hours, so that each webhook keeps its slot. */
async function moveIntoHour({ askValue, unannounced: writable, flavour }: SqlDatabase, nowMs: number): Promise<void> {
  const latestMs = nowMs + HOUR_MS + MINUTE_MS
  if (!(await askValue(`select exists (select 1 from webhooks where next_challenge_at_ms > ${latestMs})`))) return
  const tooFar = writable
    .selectFrom('webhooks')
    .select('id')
    .where('next_challenge_at_ms', '>', latestMs)
    .limit(MOVED_AT_ONCE)
    .$if(flavour.locksRows, (query) => query.forUpdate().skipLocked())
  const moved = writable
    .updateTable('webhooks')
    .set({ next_challenge_at_ms: sql<number>`${nowMs} + (next_challenge_at_ms - ${nowMs}) % ${sql.lit(HOUR_MS)}` })
    .where('id', 'in', tooFar)
  while ((await moved.executeTakeFirst()).numUpdatedRows === BigInt(MOVED_AT_ONCE));
}

/**
 * The methods of the webhook store for challenges. Changes of `nextChallengeAtMs` and passed challenges are not announced,
 * because no cache reads them.
 */
function createWebhookChallenges(database: SqlDatabase): Challenges {
  const { askValue, unannounced: writable, flavour, inTransaction } = database

  const decide: Challenges['decide'] = (id, challenge, decision) =>
    inTransaction(async (trx) => {
      const failure = decision.valid ? null : decision.failure
      const line = historyLine({ atMs: decision.atMs, failure })
      const set = {
        valid: decision.valid,
        next_challenge_at_ms: decision.nextChallengeAtMs,
        decided_by: challenge,
        last_challenge_at_ms: decision.atMs,
        last_challenge_failure: failure,
        challenge_history: sql<string>`substr(${line} || challenge_history, 1, ${sql.lit(HISTORY_CHARACTERS)})`,
        ...(decision.valid && { proven_secret_version: decision.provenSecretVersion }),
      }
      const isNewest = trx.updateTable('webhooks').set(set).where('id', '=', id).where('decided_by', '<', challenge)
      if ((await isNewest.executeTakeFirst()).numUpdatedRows === 1n) return announce(true, { kind: 'webhook', id })
      return unannounced((await trx.selectFrom('webhooks').select('id').where('id', '=', id).executeTakeFirst()) !== undefined)
    })

  const claimDue: Challenges['claimDue'] = (nowMs, leaseUntilMs, limit) =>
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
      if (due.length === 0) return unannounced([])
      const ids = due.map((row) => row.id)
      await trx.updateTable('webhooks').set({ next_challenge_at_ms: leaseUntilMs }).where('id', 'in', ids).execute()
      return unannounced(due.map((row) => ({ ...webhookFromRow(row), nextChallengeAtMs: leaseUntilMs })))
    })

  return {
    async beginChallenge(id) {
      const begun = writable
        .updateTable('webhooks')
        .set((it) => ({ challenges_begun: it('challenges_begun', '+', 1) }))
        .where('id', '=', id)
      const row = await begun.returningAll().executeTakeFirst()
      return row && { webhook: webhookFromRow(row), number: row.challenges_begun }
    },
    decide,
    async challenges(id) {
      const row = await writable.selectFrom('webhooks').select('challenge_history').where('id', '=', id).executeTakeFirst()
      return row && readHistory(row.challenge_history)
    },
    postpone: (id, nextChallengeAtMs, passed) =>
      inTransaction(async (trx) => {
        const set = {
          next_challenge_at_ms: nextChallengeAtMs,
          proven_secret_version: passed?.provenSecretVersion,
          ...(passed && { last_challenge_at_ms: passed.atMs, last_challenge_failure: null }),
        }
        await trx.updateTable('webhooks').set(set).where('id', '=', id).where('valid', '=', true).execute()
        return passed?.provenSecretVersion === undefined ? unannounced(undefined) : announce(undefined, { kind: 'webhook', id })
      }),
    claimDue,
    moveIntoHour: (nowMs) => moveIntoHour(database, nowMs),
    nextDueMs: async () =>
      (await askValue<number | null>('select min(next_challenge_at_ms) from webhooks where valid = true')) ?? undefined,
  }
}

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

  const register: WebhookStore['register'] = (webhook, limit, rowQuota = null) =>
    inExclusiveTransaction(lockApp(flavour, webhook.appId), async (trx) => {
      if (await byUrl(trx, webhook.appId, webhook.normalUrl)) return unannounced('duplicate')
      if (limit !== Number.POSITIVE_INFINITY && (await count(trx, webhook.appId)) >= limit) return unannounced('limit')
      if (await hasAllRows(trx, database, webhook.appId, rowQuota)) return unannounced('row-quota')
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
