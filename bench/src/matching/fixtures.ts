import { createClock } from '../../../server/src/lib/clock.ts'
import { createSeal } from '../../../server/src/lib/seal.ts'
import { openStorage } from '../../../server/src/storage/sql/open-storage.ts'
import type { Storage } from '../../../server/src/storage/storage.ts'
import { anApp, aUser, aUserToken, aWebhook, rawRows } from '../../../server/test/storage/samples.ts'
import { BENCH_SECRET } from '../postern-process.ts'

/** Each user has a subscription to each of them: one public type, one that needs consent. */
export const EVENT_TYPES = { public: 'post.create', private: 'dm.received' } as const
export type Kind = keyof typeof EVENT_TYPES

/** Events are about so many users, however many subscriptions there are. */
export const USERS = 500

const WEBHOOKS = 100

export const open = (url: string): Promise<Storage> =>
  openStorage({ url, clock: createClock(), seal: createSeal([BENCH_SECRET]), recordTypes: [] })

/** The users of events, spread evenly over those with subscriptions. */
export const eventUsers = (subscriptions: number): string[] =>
  Array.from({ length: USERS }, (_, place) => String(1_000_000 + Math.floor((place * subscriptions) / 2 / USERS)))

const insertSubscriptions = (count: number, eventType: string) => `
  insert into subscriptions (id, app_id, webhook_id, event_type, user_id, keyword, direction, tag, created_at_ms, updated_at_ms)
  with recursive places (place) as (select 0 union all select place + 1 from places where place < ${count - 1})
  select '${eventType}' || place, '1', cast(place % ${WEBHOOKS} as text), '${eventType}', cast(1000000 + place as text), '', '', null, place, place
  from places`

/** Fills an empty database: so many subscriptions, and the consent of the users of events. */
export async function fillSubscriptions(url: string, subscriptions: number): Promise<void> {
  const storage = await open(url)
  try {
    await storage.apps.insert(anApp())
    for (let place = 0; place < WEBHOOKS; place += 1) await storage.webhooks.register(aWebhook({ id: String(place) }), WEBHOOKS)
    for (const userId of eventUsers(subscriptions)) {
      await storage.users.insert(aUser({ id: userId, username: `user${userId}` }))
      await storage.userTokens.insert(aUserToken({ token: `token of ${userId}`, userId, access: 'read_write_dm' }))
    }
  } finally {
    await storage.close()
  }
  for (const eventType of Object.values(EVENT_TYPES)) await rawRows(url, insertSubscriptions(subscriptions / 2, eventType))
  await rawRows(url, 'analyze')
}
