import { canonicalEventType } from '../../../delivery/events/event-types.ts'
import { checkFilter } from '../../activity/check-filter.ts'
import { appWithKey } from './app-with-key.ts'
import { invalidSeed, takenId } from './invalid-seed.ts'
import type { SeedAdder } from './seed-adder.ts'

export const addSubscription: SeedAdder<'subscriptions'> = async (seed, services) => {
  const { storage, ids, now } = services
  const { webhook_id: seeded = null, tag = null } = seed
  const webhookId = seeded && (services.standIns.get(seeded) ?? seeded)
  const app = await appWithKey(services, 'subscriptions', seed.consumer_key)
  const eventType = canonicalEventType(seed.event_type)
  const id = seed.subscription_id ?? ids.next()
  const filter = checkFilter(eventType, seed.filter)
  const subscription = { id, appId: app.id, webhookId, eventType, filter, tag, createdAtMs: now(), updatedAtMs: now() }
  const created = await storage.subscriptions.insert(subscription, Number.POSITIVE_INFINITY)
  if (created === 'no-webhook') throw invalidSeed('subscriptions', 'webhook_id', webhookId ?? '', 'is not a webhook of the app')
  if (created === 'id-taken') throw takenId('subscriptions', 'subscription_id', id)
  return typeof created === 'object' ? { id: created.duplicateOf, differing: [] } : { id }
}
