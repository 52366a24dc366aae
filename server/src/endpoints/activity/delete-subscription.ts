import { activityApp } from '../../access/activity-app.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { boolean, id, integer, object } from '../../api/declare/words.ts'
import type { SubscriptionStore } from '../../storage/subscriptions.ts'
import { subscriptionNotFound } from './subscription-view.ts'

export const deleteSubscription = endpoint({
  name: 'deleteSubscription',
  route: 'DELETE /2/activity/subscriptions/:subscription_id',
  section: '§6',
  summary: 'Delete a subscription.',
  auth: activityApp,
  rateLimit: 500,
  params: { subscription_id: id() },
  answer: object({ data: object({ deleted: boolean() }), meta: object({ total_subscriptions: integer({ min: 0 }) }) }),
  problems: ['not-found'],
  async handle({ params: { subscription_id }, caller: { app } }, { subscriptions }: { subscriptions: SubscriptionStore }) {
    if ((await subscriptions.remove(app.id, [subscription_id])) === 0) throw subscriptionNotFound(subscription_id)
    return { data: { deleted: true }, meta: { total_subscriptions: await subscriptions.count(app.id) } }
  },
})
