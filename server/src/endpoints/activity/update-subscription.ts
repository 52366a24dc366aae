import { activityApp } from '../../access/activity-app.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { atLeastOneOf } from '../../api/declare/rules.ts'
import { id, integer, object, optional, text } from '../../api/declare/words.ts'
import type { SubscriptionStore } from '../../storage/subscriptions.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import { ownWebhook, webhookIdInvalid } from '../webhooks/own-webhook.ts'
import type { ConsentServices } from './assert-consent.ts'
import { viewsOf } from './subscription-states.ts'
import { duplicateSubscription, LONGEST_TAG, subscriptionNotFound, subscriptionSchema } from './subscription-view.ts'

interface Services extends ConsentServices {
  subscriptions: SubscriptionStore
  webhooks: WebhookStore
}

export const updateSubscription = endpoint({
  name: 'updateSubscription',
  route: 'PUT /2/activity/subscriptions/:subscription_id',
  section: '§6',
  summary: 'Change the tag or the webhook of a subscription.',
  description:
    'Send at least one field; omitted fields keep their value. Event type and filter cannot be changed: create another subscription instead. The change applies to every event accepted after the response; deliveries and retries of earlier events still go to the former webhook. An unknown subscription, or one of another app, is answered with 404, a webhook that the app does not have with `WebhookIdInvalid`, a duplicate of another subscription with `duplicate-rules`. A rejected request changes nothing.',
  auth: activityApp,
  rateLimit: 500,
  params: {
    subscription_id: id(),
    tag: optional(text({ max: LONGEST_TAG, description: 'Delivered with every event that matches.' })),
    webhook_id: optional(text({ min: 0, description: 'A webhook of this app.' })),
  },
  rules: [atLeastOneOf('tag', 'webhook_id')],
  answer: object({
    data: object({ subscription: subscriptionSchema, total_subscriptions: integer({ min: 0 }) }),
    meta: object({ total_subscriptions: integer({ min: 0 }) }),
  }),
  problems: ['not-found', 'duplicate-rules', 'WebhookIdInvalid'],
  async handle({ params: { subscription_id, tag, webhook_id }, caller: { app } }, { subscriptions, webhooks, consents, now }: Services) {
    const [found] = await subscriptions.byIds(app.id, [subscription_id])
    if (!found) throw subscriptionNotFound(subscription_id)
    const webhookId = webhook_id === undefined ? undefined : (await ownWebhook(webhooks, app, webhook_id)).id
    const updated = await subscriptions.update(app.id, subscription_id, { tag, webhookId }, now())
    if (updated === 'missing') throw subscriptionNotFound(subscription_id)
    if (updated === 'no-webhook') throw webhookIdInvalid()
    if ('duplicateOf' in updated) throw duplicateSubscription(updated.duplicateOf, found.eventType)
    const [view] = await viewsOf(app, [updated], { consents, now })
    const total = await subscriptions.count(app.id)
    return { data: { subscription: view!, total_subscriptions: total }, meta: { total_subscriptions: total } }
  },
})
