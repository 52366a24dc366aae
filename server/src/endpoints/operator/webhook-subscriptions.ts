import { operator } from '../../access/operator.ts'
import type { Dialect } from '../../api/declare/dialect.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { id, object, optional, text } from '../../api/declare/words.ts'
import type { Subscription, SubscriptionStore } from '../../storage/subscriptions.ts'
import { type ConsentServices, viewsOf } from '../activity/subscription-consent.ts'
import { subscriptionMembers } from '../activity/subscription-view.ts'
import { sayConsentMissing } from './events/why-not-delivered.ts'
import { operatorPage } from './operator-page.ts'
import { type WebhookServices, webhookWithApp } from './webhooks.ts'

const page = operatorPage(
  'after',
  id,
  object({
    ...subscriptionMembers,
    no_effect: optional(text({ description: 'Of one in the state `consent_revoked`: who has to do what.' })),
  }),
)

/** Subscriptions of an app are read so many at once. */
const READ_AT_ONCE = 500

/** Those of a webhook among the subscriptions of its app. */
async function ofWebhook(subscriptions: SubscriptionStore, appId: string, webhookId: string, after: string | undefined, limit: number) {
  const found: Subscription[] = []
  let last = after ?? null
  while (found.length < limit) {
    const read = await subscriptions.list(appId, last, READ_AT_ONCE)
    found.push(...read.filter((subscription) => subscription.webhookId === webhookId))
    if (read.length < READ_AT_ONCE) break
    last = read.at(-1)!.id
  }
  return found.slice(0, limit)
}

interface Services extends WebhookServices, ConsentServices {
  subscriptions: SubscriptionStore
  dialect: Dialect
}

export const listWebhookSubscriptions = endpoint({
  name: 'listWebhookSubscriptions',
  route: 'GET /operator/webhooks/:webhook_id/subscriptions',
  section: '§6',
  summary: 'List the subscriptions that bring events to a webhook, in the order of their ids, and which have no effect.',
  auth: operator,
  params: { webhook_id: id({ example: '1997712707928100864' }), ...page.params },
  answer: page.answer,
  problems: ['not-found'],
  async handle({ params: { webhook_id, after, max_results } }, services: Services) {
    const { subscriptions, dialect } = services
    const { app } = await webhookWithApp(services, webhook_id)
    return page.read(max_results, {
      rows: async (limit) => viewsOf(app, await ofWebhook(subscriptions, app.id, webhook_id, after, limit), services),
      view: (shown) =>
        shown.state === 'consent_revoked'
          ? { ...shown, no_effect: sayConsentMissing(shown.event_type, shown.filter.user_id ?? '', dialect) }
          : shown,
      placeOf: (shown) => shown.subscription_id,
    })
  },
})
