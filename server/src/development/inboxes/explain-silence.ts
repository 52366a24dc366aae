import { iso } from '../../api/declare/words.ts'
import { formatDuration, SECOND_MS } from '../../lib/time.ts'
import type { DeliveryReport, EventLog } from '../../storage/event-log.ts'
import type { Subscription, SubscriptionStore } from '../../storage/subscriptions.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import type { Disorders } from '../faults/disorders.ts'
import type { Faults } from '../faults/faults.ts'
import type { Inbox } from './inboxes.ts'
import type { Publication, Publications } from './publications.ts'

const PER_PAGE = 1000
const MAX_NAMED = 5

/** The subscriptions of a webhook. */
async function subscriptionsOf(appId: string, webhookId: string, subscriptions: SubscriptionStore): Promise<Subscription[]> {
  const found: Subscription[] = []
  let afterId: string | null = null
  for (;;) {
    const page: Subscription[] = await subscriptions.list(appId, afterId, PER_PAGE)
    found.push(...page.filter((one) => one.webhookId === webhookId))
    if (page.length < PER_PAGE) return found
    afterId = page.at(-1)!.id
  }
}

const someOf = (names: readonly string[]) => {
  const each = [...new Set(names)]
  return `${each.slice(0, MAX_NAMED).join(', ')}${each.length > MAX_NAMED ? ` and ${each.length - MAX_NAMED} more` : ''}`
}

const usersOf = (ofType: readonly Subscription[]) => someOf(ofType.map(({ filter }) => filter.userId ?? 'anyone'))

/** A sentence that says why a published event matched no subscription of the webhook of an inbox. */
async function whyNoMatch(
  { eventType, eventUuid, userId, atMs, reason }: Publication,
  appId: string,
  webhookId: string,
  { subscriptions }: { subscriptions: SubscriptionStore },
): Promise<string> {
  const all = await subscriptionsOf(appId, webhookId, subscriptions)
  const ofType = all.filter((one) => one.eventType === eventType)
  const ofUser = ofType.filter(({ filter }) => filter.userId === undefined || filter.userId === userId)
  const what =
    eventUuid === null ? `${eventType} for user ${userId} was triggered` : `${eventType} ${eventUuid} for user ${userId} was published`
  const published = `${what} at ${iso(atMs)}`
  if (reason !== undefined) return `${published}. ${reason}`
  if (all.length === 0) return `${published}, but this inbox has no subscriptions any more.`
  if (ofType.length === 0)
    return `${published}, but no subscription of this inbox matches: it subscribes to ${someOf(all.map((one) => one.eventType))}.`
  if (ofUser.length === 0)
    return `${published}, but no subscription of this inbox matches: it subscribes to ${eventType} of ${usersOf(ofType)}.`
  return `${published}, but the subscription of this inbox did not match: the user must have granted the app ${appId} what the type needs, and a keyword or a direction must be right.`
}

export interface ExplainServices {
  webhooks: WebhookStore
  subscriptions: SubscriptionStore
  eventLog: EventLog
  publications: Publications
  faults: Faults
  disorders: Pick<Disorders, 'hittingApp'>
  now: () => number
}

/** What was waited for. */
export interface Silence {
  inbox: Inbox
  /** The sequence number of the last event that was seen; 0 for none. */
  after: number
  eventType: string | undefined
}

const MAX_DELIVERIES = 5
const MAX_PUBLICATIONS = 5

const ADVANCE = 'advance the clock (POST /operator/clock, or `clock.advance` of the test kit)'

const nameOf = ({ eventType, eventUuid }: Pick<DeliveryReport, 'eventType' | 'eventUuid'>) => `${eventType} ${eventUuid}`

/** How long until a moment, in whole seconds. */
const inSeconds = (ms: number) => formatDuration(Math.max(1, Math.ceil(ms / SECOND_MS)) * SECOND_MS)

/** What became of a delivery that is not in the inbox. */
function sayDelivery(report: DeliveryReport, nowMs: number): string {
  const { state, attempts, nextTryAtMs } = report
  const last = attempts.at(-1)
  const failure = last ? `attempt ${attempts.length} failed: ${last.error}` : ''
  if (state === 'pending') return `The delivery of ${nameOf(report)} is on its way: no attempt has ended yet.`
  if (state === 'retrying' && nextTryAtMs !== null && nextTryAtMs > nowMs)
    return `The delivery of ${nameOf(report)}: ${failure}. The next attempt is due in ${inSeconds(nextTryAtMs - nowMs)}: ${ADVANCE}.`
  if (state === 'retrying') return `The delivery of ${nameOf(report)}: ${failure}. The next attempt is due now.`
  if (state === 'given_up') return `The delivery of ${nameOf(report)} was given up after ${attempts.length} attempts: the last ${failure}.`
  if (state === 'not_sent') return `The delivery of ${nameOf(report)} was not sent: ${last?.error ?? 'its webhook was not valid'}.`
  return `The delivery of ${nameOf(report)} was acknowledged, and is not in this inbox: ${last?.response || 'it was dropped to make room'}.`
}

/** The faults that hit a delivery. */
function sayFaults({ eventUuid, webhookId }: DeliveryReport, faults: Faults): string {
  const hitting = faults.hitting(eventUuid, webhookId)
  if (hitting.length === 0) return ''
  return ` It was hit by ${hitting.map(({ id, effect }) => `fault ${id} (${effect.kind})`).join(', ')}.`
}

function sayDisorder({ appId }: Inbox, disorders: ExplainServices['disorders']): string[] {
  const disorder = disorders.hittingApp(appId)
  if (!disorder) return []
  const { seen, hit } = disorder.counts.delivery
  return [`A disorder with the seed ${disorder.settings.seed} is under way, and has hit ${hit} of ${seen} attempts of deliveries.`]
}

async function sayWebhook(webhookId: string, webhooks: WebhookStore): Promise<string[]> {
  const webhook = await webhooks.byId(webhookId)
  if (!webhook) return [`The webhook ${webhookId} of this inbox was deleted: create another inbox.`]
  if (webhook.valid) return []
  const { atMs, failure } = webhook.lastChallenge ?? { atMs: webhook.createdAtMs, failure: 'its challenge failed' }
  return [
    `The webhook ${webhookId} of this inbox is invalid since ${iso(atMs)} (${failure}), so nothing is sent to it until PUT /2/webhooks/${webhookId} passes.`,
  ]
}

/** Those that are not in the inbox and have not ended, however old, or that have since a moment. One in it may still be retried. */
async function sayDeliveries(
  { inbox, eventType }: Silence,
  webhookId: string,
  sinceMs: number,
  { eventLog, faults, now }: ExplainServices,
): Promise<string[]> {
  const reports = await eventLog.report({ webhookId, limit: 10 * MAX_DELIVERIES })
  const isMissing = ({ state, acceptedAtMs, eventUuid }: DeliveryReport) => {
    const hasCome = (state === 'pending' || state === 'delivered') && inbox.events.has(eventUuid)
    return !hasCome && (state === 'pending' || state === 'retrying' || acceptedAtMs >= sinceMs)
  }
  const missing = reports.filter((report) => (eventType === undefined || report.eventType === eventType) && isMissing(report))
  return missing
    .slice(0, MAX_DELIVERIES)
    .reverse()
    .map((report) => `${sayDelivery(report, now())}${sayFaults(report, faults)}`)
}

const repeatedAgain = ({ eventType, eventUuid }: Publication) =>
  `${eventType} ${eventUuid} was published again with the same event_uuid, which changes nothing.`

async function sayUnmatched(
  silence: Silence,
  webhookId: string,
  published: readonly Publication[],
  services: ExplainServices,
): Promise<string[]> {
  const missed = published.filter(({ webhookIds, repeated }) => repeated || !webhookIds.includes(webhookId)).slice(-MAX_PUBLICATIONS)
  return Promise.all(
    missed.map((publication) =>
      publication.repeated ? repeatedAgain(publication) : whyNoMatch(publication, silence.inbox.appId, webhookId, services),
    ),
  )
}

/** The other events that came, by type. */
function sayOthers({ inbox, after, eventType }: Silence): string[] {
  if (eventType === undefined) return []
  const others = inbox.events.list({ after, limit: Number.POSITIVE_INFINITY })
  if (others.length === 0) return []
  const byType = Map.groupBy(others, (event) => (event.verified ? (event.eventType ?? 'unknown') : 'with a wrong signature'))
  return [`Other events came: ${[...byType].map(([type, events]) => `${type} (${events.length})`).join(', ')}.`]
}

/** Sentences that say why an inbox got no event: what was published, what was attempted, and how it ended. */
export async function explainSilence(silence: Silence, services: ExplainServices): Promise<string[]> {
  const { inbox, after, eventType } = silence
  const { webhookId } = inbox
  if (webhookId === undefined) return []
  const sinceMs = inbox.events.receivedAtMs(after) ?? inbox.createdAtMs
  /** An event may come before it is noted as published. */
  const hasCome = ({ eventUuid, repeated }: Publication) => eventUuid !== null && !repeated && inbox.events.has(eventUuid)
  const ofType = services.publications.since(sinceMs).filter((one) => eventType === undefined || one.eventType === eventType)
  const published = ofType.filter((one) => !hasCome(one))
  const deliveries = await sayDeliveries(silence, webhookId, sinceMs, services)
  const sentences = [
    ...(await sayWebhook(webhookId, services.webhooks)),
    ...deliveries,
    ...(await sayUnmatched(silence, webhookId, published, services)),
    ...sayOthers(silence),
    ...sayDisorder(inbox, services.disorders),
  ]
  if (published.length === 0 && deliveries.length === 0) sentences.push(`No ${eventType ?? 'event'} was published since ${iso(sinceMs)}.`)
  return sentences
}
