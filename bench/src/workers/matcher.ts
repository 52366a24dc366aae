// Fills a database with subscriptions, and matches events with them, with Postern's own modules: what publishing does before it appends.
import { askedEvents, withConsent } from '../../../server/src/delivery/consent.ts'
import { matcherOf } from '../../../server/src/delivery/matching.ts'
import { createClock } from '../../../server/src/lib/clock.ts'
import { createSeal } from '../../../server/src/lib/seal.ts'
import { openStorage } from '../../../server/src/storage/sql/open-storage.ts'
import { anApp, aUser, aUserToken, aWebhook, rawRows } from '../../../server/test/storage/samples.ts'
import { BENCH_SECRET } from '../postern-process.ts'
import { stopwatchWithDatabase } from '../process-status.ts'
import { readArgument, type Sample, serve } from '../worker.ts'

const EVENTS_PER_BATCH = 100

export interface MatcherArgument {
  url: string
  databasePid: number | undefined
  subscriptions: number
  /** Each user has a subscription to each of two. */
  eventTypes: string[]
}

const { url, databasePid, subscriptions, eventTypes } = readArgument<MatcherArgument>()
const storage = await openStorage({ url, clock: createClock(), seal: createSeal([BENCH_SECRET]), recordTypes: [] })

/** Events are about so many users, however many subscriptions there are. */
const USERS = 500

const WEBHOOKS = 100

/** The users of events, spread evenly over those with subscriptions. */
const users = Array.from({ length: USERS }, (_, place) => String(1_000_000 + Math.floor((place * subscriptions) / 2 / USERS)))

const insertSubscriptions = (count: number, eventType: string) => `
  insert into subscriptions (id, app_id, webhook_id, event_type, user_id, keyword, direction, tag, created_at_ms, updated_at_ms)
  with recursive places (place) as (select 0 union all select place + 1 from places where place < ${count - 1})
  select '${eventType}' || place, '1', cast(place % ${WEBHOOKS} as text), '${eventType}', cast(1000000 + place as text), '', '', null, place, place
  from places`

/** Fills an empty database: so many subscriptions, and the consent of the users of events. */
async function fill(): Promise<void> {
  await storage.apps.insert(anApp())
  for (let place = 0; place < WEBHOOKS; place += 1) await storage.webhooks.register(aWebhook({ id: String(place) }), WEBHOOKS)
  for (const userId of users) {
    await storage.users.insert(aUser({ id: userId, username: `user${userId}` }))
    await storage.userTokens.insert(aUserToken({ token: `token of ${userId}`, userId, access: 'read_write_dm' }))
  }
  for (const eventType of eventTypes) await rawRows(url, insertSubscriptions(subscriptions / 2, eventType))
  await rawRows(url, 'analyze')
}

await fill()
let published = 0

/** A batch of events, each of which matches one subscription. */
async function match(eventType: string) {
  const events = Array.from({ length: EVENTS_PER_BATCH }, () => ({ eventType, userId: users[published++ % users.length]!, payload: {} }))
  const candidates = await storage.subscriptions.candidates(askedEvents(events))
  const matchesOf = matcherOf(withConsent(candidates, 0), 0)
  for (const event of events) if (matchesOf(event).webhooks.length !== 1) throw new Error('an event did not match one subscription')
}

async function sample({ ms, eventType }: { ms: number; eventType: string }): Promise<Sample> {
  const watch = await stopwatchWithDatabase(databasePid)
  const until = performance.now() + ms
  let count = 0
  while (performance.now() < until) {
    await match(eventType)
    count += EVENTS_PER_BATCH
  }
  return { count, ...(await watch()) }
}

serve(sample, () => storage.close())
