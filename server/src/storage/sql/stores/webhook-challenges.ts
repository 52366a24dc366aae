import { sql } from 'kysely'
import { HOUR_MS, MINUTE_MS } from '../../../lib/time.ts'
import type { WebhookStore } from '../../webhooks.ts'
import { announce, type SqlDatabase, unannounced } from '../sql-database.ts'
import { webhookFromRow } from './webhook-row.ts'

/** How many rows one statement updates, so that it stays short. */
const MOVED_AT_ONCE = 1000

type Challenges = Pick<WebhookStore, 'beginChallenge' | 'decide' | 'postpone' | 'claimDue' | 'moveIntoHour' | 'nextDueMs'>

/** Subtracts whole hours, so that each webhook keeps its slot. */
async function moveIntoHour({ unannounced: writable, flavour }: SqlDatabase, nowMs: number): Promise<void> {
  const tooFar = writable
    .selectFrom('webhooks')
    .select('id')
    .where('next_challenge_at_ms', '>', nowMs + HOUR_MS + MINUTE_MS)
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
export function createWebhookChallenges(database: SqlDatabase): Challenges {
  const { db, unannounced: writable, flavour, inTransaction } = database

  const decide: Challenges['decide'] = (id, challenge, decision) =>
    inTransaction(async (trx) => {
      const set = {
        valid: decision.valid,
        next_challenge_at_ms: decision.nextChallengeAtMs,
        decided_by: challenge,
        last_challenge_at_ms: decision.atMs,
        last_challenge_failure: decision.valid ? null : decision.failure,
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
    async nextDueMs() {
      const earliest = db.selectFrom('webhooks').select((it) => it.fn.min('next_challenge_at_ms').as('at'))
      return (await earliest.where('valid', '=', true).executeTakeFirst())?.at ?? undefined
    },
  }
}
