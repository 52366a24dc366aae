import type { AppCaller } from '../../access/app-bearer.ts'
import type { OAuth2UserCaller } from '../../access/oauth2-user.ts'
import type { Dialect } from '../../api/declare/dialect.ts'
import { Problem } from '../../api/declare/problem.ts'
import { canonicalEventType } from '../../delivery/events/event-types.ts'
import type { Ids } from '../../lib/ids.ts'
import { monthOf } from '../../lib/time.ts'
import type { App, AppUsage } from '../../storage/apps.ts'
import type { Subscription, SubscriptionFilter, SubscriptionStore } from '../../storage/subscriptions.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import { assertQuotas, type QuotaServices, rowQuotaUsedUp } from '../webhooks/assert-quota.ts'
import { ownWebhook, webhookIdInvalid } from '../webhooks/own-webhook.ts'
import { checkFilter } from './check-filter.ts'
import { type AppOrUserCaller, assertConsent, type ConsentServices } from './subscription-consent.ts'
import { duplicateSubscription, SUBSCRIPTION_LIMIT } from './subscription-view.ts'

const PARAMETER = 'filter.user_id'

/**
 * The user whose subscriptions alone a caller may list and create; undefined for one who may all of the app. An OAuth 2.0 access token is on
 * the device of its user, who must neither learn who else uses the app nor subscribe to them.
 */
export const ownUserOf = (caller: AppCaller & Partial<Pick<OAuth2UserCaller, 'user' | 'scopes'>>): string | undefined =>
  caller.scopes && caller.user?.id

/** Throws `not-authorized-for-resource` for a subscription that is not filtered to the user whose OAuth 2.0 access token was sent. */
function assertOwnUser(caller: AppCaller, { userId = '' }: SubscriptionFilter): void {
  const ownId = ownUserOf(caller)
  if (ownId === undefined || ownId === userId) return
  throw new Problem('not-authorized-for-resource', {
    detail: `An OAuth 2.0 access token subscribes to its own user only: ${PARAMETER} must be ${ownId}.`,
    value: userId,
    resource_id: userId,
    resource_type: 'user',
    parameter: PARAMETER,
    section: 'data',
  })
}

/** Throws `usage-capped` (§7) when the app has been given as many deliveries this month (UTC) as its cap allows. */
async function assertUsage({ id, usageCap }: App, usage: AppUsage, nowMs: number) {
  if (usageCap === null) return
  const counts = (await usage.of([id], monthOf(nowMs))).get(id)
  if ((counts?.deliveries ?? 0) < usageCap) return
  const detail = `Usage cap exceeded: Monthly product cap. This app has been given its ${usageCap} deliveries of this month (UTC).`
  throw new Problem('usage-capped', { detail, period: 'Monthly', scope: 'Product' })
}

export interface SubscribeServices extends ConsentServices, QuotaServices {
  dialect: Dialect
  subscriptions: SubscriptionStore
  webhooks: WebhookStore
  usage: AppUsage
  ids: Ids
}

/** A subscription as it is asked for, with the member names of the API. */
export interface WantedSubscription {
  event_type: string
  filter: Record<string, unknown>
  tag?: string
  webhook_id?: string
}

const overLimit = () =>
  new Problem('rule-cap', { detail: `This app has the maximum of ${SUBSCRIPTION_LIMIT} subscriptions; delete one first.` })

/**
 * Subscribes an app to events of one type (§6).
 * @throws `invalid-rules`, `noncompliant-rules`, `not-authorized-for-resource`, `WebhookIdInvalid`, `usage-capped`, `rule-cap`,
 * `duplicate-rules`.
 */
export async function subscribe(caller: AppOrUserCaller, wanted: WantedSubscription, services: SubscribeServices): Promise<Subscription> {
  const { subscriptions, webhooks, usage, ids, consents, now, dialect } = services
  const { app } = caller
  const eventType = canonicalEventType(wanted.event_type)
  const filter = checkFilter(eventType, wanted.filter)
  assertOwnUser(caller, filter)
  await assertConsent(eventType, filter, caller, { consents, now, dialect })
  const webhook = wanted.webhook_id === undefined ? null : await ownWebhook(webhooks, app, wanted.webhook_id)
  await assertUsage(app, usage, now())
  await assertQuotas(app, services)
  const fresh = { id: ids.next(), appId: app.id, webhookId: webhook?.id ?? null, eventType, filter, tag: wanted.tag ?? null }
  const subscription = { ...fresh, createdAtMs: now(), updatedAtMs: now() }
  const created = await subscriptions.insert(subscription, SUBSCRIPTION_LIMIT, app.rowQuota)
  if (created === 'no-webhook') throw webhookIdInvalid()
  if (created === 'limit') throw overLimit()
  if (created === 'row-quota') throw rowQuotaUsedUp(app)
  if (created === 'id-taken') throw new Error(`the id ${subscription.id} was generated twice`)
  if (created !== 'created') throw duplicateSubscription(created.duplicateOf, eventType)
  return subscription
}
