import { sql, type Transaction } from 'kysely'
import type { AskedEvent, Candidate, Subscription, SubscriptionFilter, SubscriptionStore } from '../../subscriptions.ts'
import type { Database, NewRow, Row } from '../schema.ts'
import { announce, type SqlDatabase, unannounced, type Written } from '../sql-database.ts'
import { hasAllRows } from './app-rows.ts'
import { lockApp } from './app-store.ts'
import { consentFrom, consentText } from './consent-store.ts'

function filterOf(row: Row<'subscriptions'>): SubscriptionFilter {
  const filter: SubscriptionFilter = {}
  if (row.user_id !== '') filter.userId = row.user_id
  if (row.keyword !== '') filter.keyword = row.keyword
  if (row.direction !== '') filter.direction = row.direction
  return filter
}

const fromRow = (row: Row<'subscriptions'>): Subscription => ({
  id: row.id,
  appId: row.app_id,
  webhookId: row.webhook_id,
  eventType: row.event_type,
  filter: filterOf(row),
  tag: row.tag,
  createdAtMs: row.created_at_ms,
  updatedAtMs: row.updated_at_ms,
})

const toRow = (subscription: Subscription): NewRow<'subscriptions'> => ({
  id: subscription.id,
  app_id: subscription.appId,
  webhook_id: subscription.webhookId,
  event_type: subscription.eventType,
  user_id: subscription.filter.userId ?? '',
  keyword: subscription.filter.keyword ?? '',
  direction: subscription.filter.direction ?? '',
  tag: subscription.tag,
  created_at_ms: subscription.createdAtMs,
  updated_at_ms: subscription.updatedAtMs,
})

/** Finds the app's subscription with the same event type, filter and webhook, other than the one with the id `except`. */
const duplicateOf = (trx: Transaction<Database>, row: NewRow<'subscriptions'>, except = '') =>
  trx
    .selectFrom('subscriptions')
    .select('id')
    .where('id', '!=', except)
    .where('app_id', '=', row.app_id)
    .where('event_type', '=', row.event_type)
    .where('user_id', '=', row.user_id)
    .where('keyword', '=', row.keyword)
    .where('direction', '=', row.direction)
    .where((it) => it(it.fn.coalesce('webhook_id', sql.lit('')), '=', row.webhook_id ?? ''))
    .executeTakeFirst()

const ownsWebhook = (trx: Transaction<Database>, appId: string, webhookId: string) =>
  trx.selectFrom('webhooks').select('id').where('id', '=', webhookId).where('app_id', '=', appId).executeTakeFirst()

const ASKED = ['event_type', 'user_id', 'needs_consent']

/** The distinct pairs of event type and user (or none) that a subscription matching one of these events can have: rows of `ASKED`. */
function askedRows(events: readonly AskedEvent[]): string {
  const types = new Map<string, { users: Set<string>; needsConsent: boolean }>()
  for (const { eventType, userId, needsConsent } of events) {
    const type = types.get(eventType) ?? { users: new Set(['']), needsConsent }
    type.users.add(userId)
    types.set(eventType, type)
  }
  return JSON.stringify(
    [...types].flatMap(([eventType, { users, needsConsent }]) =>
      [...users].map((userId) => [eventType, userId, needsConsent ? 'yes' : 'no']),
    ),
  )
}

type CandidateRow = Row<'subscriptions'> & {
  valid: unknown
  streamed_at_ms: number | null
  app_suspended: unknown
  is_counted: unknown
  event_quota: number | null
  delivery_quota: number | null
  needs_consent: string
  consent: string | null
}

const quotasOf = ({ event_quota: events, delivery_quota: deliveries }: CandidateRow) =>
  events === null && deliveries === null ? null : { events, deliveries }

const candidateOf = (row: CandidateRow): Candidate => ({
  subscription: fromRow(row),
  webhook: row.webhook_id === null ? null : { id: row.webhook_id, valid: Boolean(row.valid) },
  streamedAtMs: row.streamed_at_ms,
  appSuspended: Boolean(row.app_suspended),
  isCounted: Boolean(row.is_counted),
  quotas: quotasOf(row),
  consent: row.needs_consent === 'yes' ? consentFrom(row.consent) : null,
})

type Insertion = Awaited<ReturnType<SubscriptionStore['insert']>>
type Update = Awaited<ReturnType<SubscriptionStore['update']>>

export function createSubscriptionStore({ db, flavour, write, inExclusiveTransaction }: SqlDatabase): SubscriptionStore {
  const count = async (from: SqlDatabase['db'], appId: string, userId?: string) => {
    const counted = from.selectFrom('subscriptions').select((it) => it.fn.countAll<number>().as('count'))
    const ofApp = counted.where('app_id', '=', appId).$if(userId !== undefined, (query) => query.where('user_id', '=', userId!))
    return (await ofApp.executeTakeFirstOrThrow()).count
  }

  const insert: SubscriptionStore['insert'] = (subscription, limit, rowQuota = null) =>
    inExclusiveTransaction(lockApp(flavour, subscription.appId), async (trx): Promise<Written<Insertion>> => {
      const { appId, webhookId } = subscription
      const row = toRow(subscription)
      if (webhookId !== null && !(await ownsWebhook(trx, appId, webhookId))) return unannounced('no-webhook')
      const duplicate = await duplicateOf(trx, row)
      if (duplicate) return unannounced({ duplicateOf: duplicate.id })
      if (await hasAllRows(trx, { flavour }, appId, rowQuota)) return unannounced('row-quota')
      if (limit !== Number.POSITIVE_INFINITY && (await count(trx, appId)) >= limit) return unannounced('limit')
      const insertion = trx.insertInto('subscriptions').values(row)
      const { numInsertedOrUpdatedRows } = await insertion.onConflict((conflict) => conflict.column('id').doNothing()).executeTakeFirst()
      return numInsertedOrUpdatedRows === 0n ? unannounced('id-taken') : announce('created', { kind: 'subscriptions', appId })
    })

  const update: SubscriptionStore['update'] = (appId, id, changes, atMs) =>
    inExclusiveTransaction(lockApp(flavour, appId), async (trx): Promise<Written<Update>> => {
      const found = await trx.selectFrom('subscriptions').selectAll().where('app_id', '=', appId).where('id', '=', id).executeTakeFirst()
      if (!found) return unannounced('missing')
      const { tag = found.tag, webhookId = found.webhook_id } = changes
      if (changes.webhookId !== undefined && !(await ownsWebhook(trx, appId, changes.webhookId))) return unannounced('no-webhook')
      const row = { ...found, tag, webhook_id: webhookId, updated_at_ms: atMs }
      const duplicate = await duplicateOf(trx, row, id)
      if (duplicate) return unannounced({ duplicateOf: duplicate.id })
      await trx.updateTable('subscriptions').set({ tag, webhook_id: webhookId, updated_at_ms: atMs }).where('id', '=', id).execute()
      return announce(fromRow(row), { kind: 'subscriptions', appId })
    })

  const candidates = async (events: readonly AskedEvent[]) => {
    const found = await sql<CandidateRow>`
      select s.*, w.valid, a.suspended as app_suspended, coalesce(a.usage_cap, a.event_quota, a.delivery_quota) is not null as is_counted,
        a.event_quota, a.delivery_quota, a.streamed_at_ms,
        given.needs_consent, case given.needs_consent when 'yes' then ${sql.raw(consentText('s.app_id', 's.user_id'))} end as consent
      from ${flavour.rows(askedRows(events), ASKED)}
      join subscriptions as s on s.event_type = given.event_type and s.user_id = given.user_id
      join apps as a on a.id = s.app_id
      left join webhooks as w on w.id = s.webhook_id
      where s.webhook_id is null or w.id is not null
      order by s.created_at_ms, s.id`.execute(db)
    return found.rows.map(candidateOf)
  }

  return {
    async list(appId, afterId, limit, userId) {
      const rows = await db
        .selectFrom('subscriptions')
        .selectAll()
        .where('app_id', '=', appId)
        .where('id', '>', afterId ?? '')
        .$if(userId !== undefined, (query) => query.where('user_id', '=', userId!))
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(fromRow)
    },
    count: (appId, userId) => count(db, appId, userId),
    async byIds(appId, ids) {
      if (ids.length === 0) return []
      const chosen = db.selectFrom('subscriptions').selectAll().where('app_id', '=', appId).where('id', 'in', ids)
      return (await chosen.orderBy('id').execute()).map(fromRow)
    },
    insert,
    update,
    async remove(appId, ids) {
      if (ids.length === 0) return 0
      return write(async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('subscriptions')
          .where('app_id', '=', appId)
          .where('id', 'in', ids)
          .executeTakeFirst()
        return announce(Number(numDeletedRows), { kind: 'subscriptions', appId })
      })
    },
    candidates,
  }
}
