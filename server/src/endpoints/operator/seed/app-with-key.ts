import type { App } from '../../../storage/apps.ts'
import { invalidSeed } from './invalid-seed.ts'
import type { SeedServices } from './seed-adder.ts'

/** The app that a record of a seed names by its consumer key. Throws `invalid-request` when there is none. */
export async function appWithKey(
  { storage }: SeedServices,
  kind: 'tokens' | 'webhooks' | 'subscriptions',
  consumerKey: string,
): Promise<App> {
  const app = await storage.apps.byConsumerKey(consumerKey)
  if (app) return app
  throw invalidSeed(kind, 'consumer_key', consumerKey, 'does not belong to any app')
}
