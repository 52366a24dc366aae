import type { Dialect } from '../../../api/declare/dialect.ts'
import { shown } from '../../../api/read/broken-rule.ts'
import { mayReceive } from '../../../delivery/consent.ts'
import { eventTypes } from '../../../delivery/events/event-types.ts'
import { keywordMatcherOf } from '../../../delivery/keywords.ts'
import { directionOf, type Matched } from '../../../delivery/matching.ts'
import type { Published, PublishedEvent } from '../../../delivery/publish.ts'
import type { App, AppStore } from '../../../storage/apps.ts'
import type { Consents } from '../../../storage/consents.ts'
import type { Subscription, SubscriptionStore } from '../../../storage/subscriptions.ts'
import { sayConsent } from '../../events/described-events.ts'

/** What is looked at: an explanation stays cheap however many apps there are. */
const MOST_APPS = 200
const MOST_SUBSCRIPTIONS = 1000
/** The sentences about one event. */
const MOST_REASONS = 10

const PAGE = 100

export interface WhyNobodyServices {
  apps: Pick<AppStore, 'list'>
  subscriptions: Pick<SubscriptionStore, 'list'>
  consents: Consents
  dialect: Pick<Dialect, 'out'>
  now: () => number
}

export interface Subscribed {
  app: App
  subscription: Subscription
}

/** Reads a list page by page, up to `most` items. */
async function all<Item extends { id: string }>(most: number, page: (after: string | null) => Promise<Item[]>): Promise<Item[]> {
  const found: Item[] = []
  while (found.length < most) {
    const next = await page(found.at(-1)?.id ?? null)
    found.push(...next)
    if (next.length < PAGE) break
  }
  return found.slice(0, most)
}

/** Subscriptions of all apps to these event types, oldest app first. */
export async function subscribedTo(types: ReadonlySet<string>, { apps, subscriptions }: WhyNobodyServices): Promise<Subscribed[]> {
  const found: Subscribed[] = []
  for (const app of await all(MOST_APPS, (after) => apps.list(after, PAGE))) {
    const ofApp = await all(MOST_SUBSCRIPTIONS, (after) => subscriptions.list(app.id, after, PAGE))
    found.push(...ofApp.filter(({ eventType }) => types.has(eventType)).map((subscription) => ({ app, subscription })))
  }
  return found
}

/**
 * An event as it is matched. The log keeps neither a text that keywords are looked for in nor a direction: `isLogged`. `withoutConsent`: the
 * subscriptions whose app had no consent at that time, where that is known.
 */
export type Explained = Matched & { isLogged?: boolean; withoutConsent?: readonly string[] }

/** Longer texts are cut in a sentence. */
const MAX_QUOTED = 200

/** What of a filter an event does not match; undefined if it matches. */
function mismatchOf({ filter }: Subscription, event: Explained): string | undefined {
  if (filter.userId !== undefined && filter.userId !== event.userId) return `is for user ${filter.userId}, not ${event.userId}`
  const direction = directionOf(event)
  if (event.isLogged && filter.direction !== undefined && direction === undefined)
    return `is for the direction ${filter.direction}; that of an event is not kept`
  if (filter.direction !== undefined && filter.direction !== direction)
    return direction === undefined
      ? `is for the direction ${filter.direction}, and the event has no direction`
      : `is for the direction ${filter.direction}, not ${direction}`
  if (event.isLogged && filter.keyword !== undefined)
    return `is for texts that match the keyword ${filter.keyword}; the text that an event was published with is not kept`
  if (filter.keyword !== undefined && !keywordMatcherOf(event.text ?? '')(filter.keyword))
    return `is for texts that match the keyword ${filter.keyword}, and the event's text is ${JSON.stringify((event.text ?? '').slice(0, MAX_QUOTED))}`
  return undefined
}

/** What a user has to do before a subscription to a private type has an effect. */
export const sayConsentMissing = (eventType: string, userId: string, dialect: Pick<Dialect, 'out'>) =>
  `user ${userId} ended the consent or never gave it, and must grant the app ${sayConsent(eventTypes[eventType]!.consent, dialect)}`

/** Why a subscription to the type of an event did not bring it to a callback. */
export async function reasonOf(
  { app, subscription }: Subscribed,
  event: Explained,
  { consents, dialect, now }: WhyNobodyServices,
): Promise<string> {
  const { eventType, userId } = event
  const mismatch = mismatchOf(subscription, event)
  if (mismatch !== undefined) return mismatch
  const named = (event.payload as { app_id?: unknown } | undefined)?.app_id
  const namedText = named === undefined || named === null ? 'missing' : shown(named)
  if (eventType === 'oauth.revoke' && namedText !== app.id)
    return `matches; the event goes only to the app that payload.app_id names, and that is ${namedText}, not ${app.id}`
  if (app.suspended) return `has no effect: the app ${app.id} is suspended`
  const needed = eventTypes[eventType]?.consent
  const isConsented = async () => {
    if (event.withoutConsent) return !event.withoutConsent.includes(subscription.id)
    const [consent] = await consents.of(app.id, [userId])
    return mayReceive(eventType, consent ?? null, now())
  }
  if (needed && !(await isConsented())) return `has no effect: ${sayConsentMissing(eventType, userId, dialect)}`
  return subscription.webhookId === null ? 'matches and has no webhook: its events go to the activity stream alone' : 'matches'
}

/** Those of the event's user first: they are nearest to what was meant. */
export const nearestFirst = (found: readonly Subscribed[], { userId }: Pick<Matched, 'userId'>) => {
  const isOfUser = ({ subscription }: Subscribed) => Number(subscription.filter.userId === userId)
  return found.toSorted((one, other) => isOfUser(other) - isOfUser(one))
}

async function reasonsOf(found: readonly Subscribed[], event: Matched, services: WhyNobodyServices): Promise<string[]> {
  const ofType = found.filter(({ subscription }) => subscription.eventType === event.eventType)
  if (ofType.length === 0) return [`no app has a subscription to ${event.eventType}: create one with POST /2/activity/subscriptions`]
  const told = nearestFirst(ofType, event).slice(0, MOST_REASONS)
  const reasons = await Promise.all(
    told.map(async (one) => `${one.app.name}: subscription ${one.subscription.id} ${await reasonOf(one, event, services)}`),
  )
  const more = ofType.length - told.length
  return more === 0 ? reasons : [...reasons, `and ${more} other subscriptions to ${event.eventType} do not match either`]
}

/** For each of these events sentences that say why no callback got it. Subscriptions are read once for all of them. */
async function whyNobody(events: readonly Matched[], services: WhyNobodyServices): Promise<string[][]> {
  const found = await subscribedTo(new Set(events.map(({ eventType }) => eventType)), services)
  return Promise.all(events.map((event) => reasonsOf(found, event, services)))
}

/** So many events of one call are explained at most. */
const MOST_EXPLAINED = 20

/** What came of an event that reached no callback, and why. */
interface NotDelivered {
  subscriptions: number
  deliveries: number
  reasons: string[]
}

const REPEATED = 'an event with this event_uuid was published before: nothing is delivered again'

/** Why deliveries are kept back, as sentences. */
const keptBackReasons = ({ keptBack }: Published): string[] =>
  keptBack.map(({ webhookId, reason }) =>
    reason === 'webhook invalid'
      ? `webhook ${webhookId} is invalid: PUT /2/webhooks/${webhookId} challenges it again, and a replay brings what was kept back`
      : `nothing is sent to webhook ${webhookId}: ${reason}`,
  )

const isDelivered = ({ deliveries, keptBack }: Published) => deliveries > keptBack.length

/** For each published event that reached no callback why; undefined for all others, and for those beyond the first 20. */
export async function whyNotDelivered(
  events: readonly PublishedEvent[],
  published: readonly Published[],
  services: WhyNobodyServices,
): Promise<(NotDelivered | undefined)[]> {
  const failed = published.flatMap((one, index) => (isDelivered(one) ? [] : [index])).slice(0, MOST_EXPLAINED)
  const unmatched = failed.filter((index) => !published[index]!.repeated && published[index]!.deliveries === 0)
  const sentences =
    unmatched.length === 0
      ? []
      : await whyNobody(
          unmatched.map((index) => events[index]!),
          services,
        )
  const reasonsOf = (index: number) => {
    const one = published[index]!
    return one.repeated ? [REPEATED] : (sentences[unmatched.indexOf(index)] ?? keptBackReasons(one))
  }
  return published.map(({ subscriptions, deliveries }, index) =>
    failed.includes(index) ? { subscriptions, deliveries, reasons: reasonsOf(index) } : undefined,
  )
}
