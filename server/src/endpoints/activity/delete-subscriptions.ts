import { activityApp } from '../../access/activity-app.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { boolean, commaList, id, integer, object } from '../../api/declare/words.ts'
import type { SubscriptionStore } from '../../storage/subscriptions.ts'

const MOST = 100

export const deleteSubscriptions = endpoint({
  name: 'deleteSubscriptions',
  route: 'DELETE /2/activity/subscriptions',
  section: '§6',
  summary: 'Delete subscriptions by id.',
  description: 'Atomic: if one of the ids is not a subscription of this app, nothing is deleted and the error names it.',
  auth: activityApp,
  rateLimit: 500,
  params: { ids: commaList(id(), { max: MOST, example: ['1997712707928100864'] }) },
  answer: object({ data: object({ deleted: boolean() }), meta: object({ total_subscriptions: integer({ min: 0 }) }) }),
  problems: ['not-found'],
  async handle({ params: { ids }, caller: { app } }, { subscriptions }: { subscriptions: SubscriptionStore }) {
    const found = new Set((await subscriptions.byIds(app.id, ids)).map((subscription) => subscription.id))
    const missing = ids.find((id) => !found.has(id))
    if (missing !== undefined) throw new Problem('not-found', { detail: `Could not find a subscription with ids: [${missing}].` })
    await subscriptions.remove(app.id, ids)
    return { data: { deleted: true }, meta: { total_subscriptions: await subscriptions.count(app.id) } }
  },
})
