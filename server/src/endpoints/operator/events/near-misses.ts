import { id, integer, nullable, object, text } from '../../../api/declare/words.ts'
import { type Explained, nearestFirst, reasonOf, type Subscribed, type WhyNobodyServices } from './why-not-delivered.ts'

/** So many are explained. */
export const MOST_NEAR_MISSES = 10

const NEW = 'was created after the event was accepted'

export const nearMissSchema = object({
  subscription_id: id(),
  app_id: id(),
  webhook_id: nullable(id({ description: 'Null for one whose events go to the activity stream alone.' })),
  reason: text({ description: 'Reads on after the words "The subscription".' }),
})

export const moreNearMisses = integer({ min: 0, description: 'How many others there are.' })

/** Of subscriptions to the type of an event those nearest to it, and why each did not bring it. */
export async function nearMissesOf(subscribed: readonly Subscribed[], event: Explained, atMs: number, services: WhyNobodyServices) {
  const ofType = nearestFirst(
    subscribed.filter(({ subscription }) => subscription.eventType === event.eventType),
    event,
  )
  const explain = async ({ app, subscription }: Subscribed) => ({
    subscription_id: subscription.id,
    app_id: app.id,
    webhook_id: subscription.webhookId,
    reason: subscription.createdAtMs > atMs ? NEW : await reasonOf({ app, subscription }, event, services),
  })
  const near = await Promise.all(ofType.slice(0, MOST_NEAR_MISSES).map(explain))
  return { near, more: ofType.length - near.length }
}
