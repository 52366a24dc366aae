import type { GiveWay } from '../lib/fair-turns.ts'
import { mapInSlices } from '../lib/slices.ts'
import { monthOf } from '../lib/time.ts'
import type { AppUsage, UsageCounts } from '../storage/apps.ts'
import type { Accepted, EventLog, NewEvent, StreamTarget, WebhookTarget } from '../storage/event-log.ts'
import { STREAM_USE_MS } from '../storage/stream-connections.ts'
import type { Candidate, SubscriptionStore } from '../storage/subscriptions.ts'
import { askedEvents, withConsent } from './consent.ts'
import type { CountUsage } from './count-usage.ts'
import { contentOf, type EventContent, matchOf } from './envelope.ts'
import { type Matchable, type Matches, matcherOf } from './matching.ts'
import { createQuotas, QUOTA, type Quotas } from './quotas.ts'

/** An event from a producer, with the canonical spelling of its type. */
export interface PublishedEvent extends Matchable, EventContent {
  eventUuid?: string
  /** What it carries as it is stored, where that is written already. */
  content?: Buffer
}

/** Reasons for keeping an event for replay without sending it. */
const WEBHOOK_INVALID = 'webhook invalid'
const APP_SUSPENDED = 'app suspended'

/** Why an event is not sent to a webhook; undefined if it is sent. */
export function notSentReason({ valid, suspended }: { valid: boolean; suspended: boolean }): string | undefined {
  if (suspended) return APP_SUSPENDED
  return valid ? undefined : WEBHOOK_INVALID
}

/** Matching keywords with a character of a text takes as long as reading about so many bytes of an event. */
const KEYWORD_COST = 8

/** Told how many events were accepted, and how many of their deliveries are kept back. */
export type AcceptListener = (events: number, keptBack: number) => void

/** An accepted event, and what came of it. Both are 0 for one that was published before. */
export interface Published extends Accepted {
  /** The subscriptions that bring it to a webhook or a stream: for each the oldest that matches. */
  subscriptions: number
  /** To webhooks, those that are kept back included. */
  deliveries: number
  /** Of these the ones that are kept back, with the reason. */
  keptBack: readonly KeptBack[]
}

/** A delivery that is kept for replay and not sent. */
export interface KeptBack {
  webhookId: string
  reason: string
}

const NOTHING_KEPT_BACK: readonly KeptBack[] = []

/** Told of each append: the events with what they matched, and what became of them. */
export type PublishListener = (events: readonly NewEvent[], accepted: readonly Accepted[]) => void

export interface Publisher {
  /** Matches subscriptions and appends the events with their deliveries, all or none. They are durable once this resolves. */
  publish(events: readonly PublishedEvent[], giveWay?: GiveWay): Promise<Published[]>
}

export interface PublisherOptions {
  subscriptions: SubscriptionStore
  log: Pick<EventLog, 'append'>
  /** Spells what an event of a type carries as the served dialect does. */
  respell: (eventType: string, content: EventContent) => EventContent
  /** Called before each append. */
  appending: () => void
  /** Called after each append, for metrics. */
  accepted?: AcceptListener
  /** Called after each append, for every app that a new event is for, with how many of the app's webhooks it goes to. */
  countFor?: (appId: string, deliveries: number) => void
  /** Called after each append, with everything. */
  published?: PublishListener
  countUsage: CountUsage
  /** What apps with a quota were given this month. */
  usage: Pick<AppUsage, 'of'>
  /** The wall clock. */
  now: () => number
}

const add = (counts: Map<string, UsageCounts>, appId: string, isNewEvent: boolean) => {
  const { events, deliveries } = counts.get(appId) ?? { events: 0, deliveries: 0 }
  counts.set(appId, { events: events + (isNewEvent ? 1 : 0), deliveries: deliveries + 1 })
}

/** Adds what one event counts for apps: once for each webhook that it is sent to, and once for the stream if it is sent to none. */
function addCounted(counts: Map<string, UsageCounts>, { webhooks, streams }: Matches, { targets }: NewEvent) {
  const known = new Set<string>()
  const addOne = ({ subscription: { appId } }: Candidate) => {
    add(counts, appId, !known.has(appId))
    known.add(appId)
  }
  for (const [place, candidate] of webhooks.entries()) if (candidate.isCounted && targets[place]!.notSent === undefined) addOne(candidate)
  const sent = new Set(known)
  for (const candidate of streams)
    if (candidate.isCounted && !candidate.appSuspended && !sent.has(candidate.subscription.appId)) addOne(candidate)
}

/** What apps were given, of events that are new. */
function countedOf(accepted: readonly Accepted[], matched: readonly Matches[], events: readonly NewEvent[]): Map<string, UsageCounts> {
  const counts = new Map<string, UsageCounts>()
  for (const [index, { repeated }] of accepted.entries()) if (!repeated) addCounted(counts, matched[index]!, events[index]!)
  return counts
}

const targetOf = (candidate: Candidate, quotas: Quotas): WebhookTarget => {
  const { subscription, webhook, appSuspended } = candidate
  const reason = notSentReason({ valid: webhook!.valid, suspended: appSuspended })
  return {
    webhookId: webhook!.id,
    match: matchOf(subscription),
    notSent: reason ?? (quotas.admit(candidate) ? undefined : QUOTA),
  }
}

const streamTargetOf = ({ subscription }: Candidate): StreamTarget => ({ appId: subscription.appId, match: matchOf(subscription) })

/** Nearly always none. */
function keptBackOf({ targets }: NewEvent): readonly KeptBack[] {
  if (targets.every(({ notSent }) => notSent === undefined)) return NOTHING_KEPT_BACK
  return targets.flatMap(({ webhookId, notSent }) => (notSent === undefined ? [] : [{ webhookId, reason: notSent }]))
}

function publishedOf(accepted: Accepted, event: NewEvent, { webhooks, streams }: Matches): Published {
  if (accepted.repeated) return { ...accepted, subscriptions: 0, deliveries: 0, keptBack: NOTHING_KEPT_BACK }
  let ofStreams = 0
  if (streams.length > 0) {
    const known = new Set(webhooks.map(({ subscription }) => subscription.id))
    ofStreams = streams.filter(({ subscription }) => !known.has(subscription.id)).length
  }
  return { ...accepted, subscriptions: webhooks.length + ofStreams, deliveries: webhooks.length, keptBack: keptBackOf(event) }
}

/** Reports new events to the metrics, and how many of their deliveries are not sent. */
function reportAccepted(accepted: AcceptListener, events: readonly NewEvent[], results: readonly Accepted[]) {
  let notSent = 0
  let fresh = 0
  for (let place = 0; place < events.length; place += 1) {
    if (results[place]!.repeated) continue
    fresh += 1
    for (const target of events[place]!.targets) if (target.notSent !== undefined) notSent += 1
  }
  accepted(fresh, notSent)
}

/** Nearly always an event is for one webhook. */
function countApps(countFor: NonNullable<PublisherOptions['countFor']>, { webhooks, streams }: Matches) {
  if (webhooks.length === 1 && streams.length === 0) return countFor(webhooks[0]!.subscription.appId, 1)
  const deliveries = new Map<string, number>()
  for (const { subscription } of streams) deliveries.set(subscription.appId, 0)
  for (const { subscription } of webhooks) deliveries.set(subscription.appId, (deliveries.get(subscription.appId) ?? 0) + 1)
  for (const [appId, count] of deliveries) countFor(appId, count)
}

export function createPublisher(options: PublisherOptions): Publisher {
  const { subscriptions, log, respell, appending, accepted = () => {}, published, countFor = () => {}, countUsage, usage, now } = options
  const publish = async (events: readonly PublishedEvent[], giveWay?: GiveWay) => {
    const contents = await mapInSlices(
      events,
      ({ eventType, payload, includes, content }) => {
        const carried = { payload, includes }
        const spelled = respell(eventType, carried)
        return content && spelled === carried ? content : contentOf(spelled.payload, spelled.includes)
      },
      (content) => content.length,
      giveWay,
    )
    const candidates = withConsent(await subscriptions.candidates(askedEvents(events)), now())
    const matchedBy = matcherOf(candidates, now() - STREAM_USE_MS)
    const matched = await mapInSlices(events, matchedBy, (_, index) => KEYWORD_COST * (events[index]!.text?.length ?? 0), giveWay)
    const quotas = await createQuotas(candidates, usage, () => monthOf(now()))
    const appended = events.map(({ eventUuid, eventType, userId }, index): NewEvent => {
      const { webhooks, streams } = matched[index]!
      quotas.nextEvent()
      const event = {
        eventUuid,
        eventType,
        userId,
        content: contents[index]!,
        targets: webhooks.map((candidate) => targetOf(candidate, quotas)),
      }
      return streams.length === 0 ? event : { ...event, streams: streams.map(streamTargetOf) }
    })
    if (events.length > 1) await giveWay?.()
    appending()
    const results = await log.append(appended)
    reportAccepted(accepted, appended, results)
    results.forEach(({ repeated }, index) => {
      if (!repeated) countApps(countFor, matched[index]!)
    })
    published?.(appended, results)
    if (candidates.some(({ isCounted }) => isCounted)) await countUsage(countedOf(results, matched, appended))
    return results.map((result, index) => publishedOf(result, appended[index]!, matched[index]!))
  }
  return { publish }
}
