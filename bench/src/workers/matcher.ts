// Matches events with the subscriptions of a database, with Postern's own modules: what publishing does before it appends.
import { askedEvents, withConsent } from '../../../server/src/delivery/consent.ts'
import { matcherOf } from '../../../server/src/delivery/matching.ts'
import { EVENT_TYPES, eventUsers, type Kind, open } from '../matching/fixtures.ts'
import { stopwatchWithDatabase } from '../stopwatch.ts'
import type { Sample } from '../worker.ts'
import { readArgument, serve } from './serve.ts'

const EVENTS_PER_BATCH = 100

export interface MatcherArgument {
  url: string
  databasePid: number | undefined
  subscriptions: number
  kind: Kind
}

const { url, databasePid, subscriptions, kind } = readArgument<MatcherArgument>()
const storage = await open(url)
const users = eventUsers(subscriptions)
const eventType = EVENT_TYPES[kind]
let published = 0

/** A batch of events, each of which matches one subscription. */
async function match() {
  const events = Array.from({ length: EVENTS_PER_BATCH }, () => ({ eventType, userId: users[published++ % users.length]!, payload: {} }))
  const candidates = await storage.subscriptions.candidates(askedEvents(events))
  const matchesOf = matcherOf(withConsent(candidates, 0), 0)
  for (const event of events) if (matchesOf(event).webhooks.length !== 1) throw new Error('an event did not match one subscription')
}

async function sample({ ms }: { ms: number }): Promise<Sample> {
  const watch = await stopwatchWithDatabase(databasePid)
  const until = performance.now() + ms
  let count = 0
  while (performance.now() < until) {
    await match()
    count += EVENTS_PER_BATCH
  }
  return { count, ...(await watch()) }
}

serve(sample, () => storage.close())
