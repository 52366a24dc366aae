import { Problem } from '../../api/declare/problem.ts'
import { mayReceive, needsConsent } from '../../delivery/consent.ts'
import { canonicalEventType, eventTypeNames, eventTypes } from '../../delivery/events/event-types.ts'
import { type SubscribeServices, subscribe, type WantedSubscription } from '../../endpoints/activity/subscribe.ts'
import { SUBSCRIPTION_LIMIT } from '../../endpoints/activity/subscription-view.ts'
import type { App } from '../../storage/apps.ts'
import type { Consents, UserConsent } from '../../storage/consents.ts'
import type { Subscription, SubscriptionStore } from '../../storage/subscriptions.ts'
import type { UserStore } from '../../storage/users.ts'

export interface InboxSubscriptionServices extends SubscribeServices {
  users: UserStore
  consents: Consents
  subscriptions: SubscriptionStore
}

/** What an inbox is asked to receive; what is undefined is everything that the app may have. */
export interface WantedEvents {
  events: readonly string[] | undefined
  userIds: readonly string[] | undefined
}

/** A user, with what the user has granted the app where that was looked up. */
interface Subject {
  userId: string
  consent: UserConsent | undefined
}

const USERS_PER_PAGE = 500
const MAX_USERS = 2000

const isLive = ({ access, grants }: UserConsent, nowMs: number) => access !== null || grants.some(({ untilMs }) => untilMs > nowMs)

/** The users of whom the app has a live token. */
async function consentingUsers(app: App, { users, consents, now }: InboxSubscriptionServices): Promise<Subject[]> {
  const found: Subject[] = []
  let after: string | null = null
  for (let seen = 0; seen < MAX_USERS; seen += USERS_PER_PAGE) {
    const page = await users.list({ after, limit: USERS_PER_PAGE })
    const granted = await consents.of(
      app.id,
      page.map(({ id }) => id),
    )
    found.push(...page.map(({ id }, at) => ({ userId: id, consent: granted[at]! })).filter(({ consent }) => isLive(consent, now())))
    if (page.length < USERS_PER_PAGE) break
    after = page.at(-1)!.id
  }
  return found
}

/** Whether an event type is left out for a user who was not named, because the app may not have it. */
const isLeftOut = (eventType: string, { consent }: Subject, nowMs: number) =>
  consent !== undefined && needsConsent(eventType) && !mayReceive(eventType, consent, nowMs)

function wantedOf(eventType: string, subjects: readonly Subject[], isNamed: boolean, nowMs: number): WantedSubscription[] {
  const { filter, unfiltered } = eventTypes[eventType]!
  if (filter.includes('userId') && subjects.length > 0)
    return subjects
      .filter((subject) => !isLeftOut(eventType, subject, nowMs))
      .map(({ userId }) => ({ event_type: eventType, filter: { user_id: userId } }))
  // The reason why a type that was named cannot be subscribed without a user is that of the subscription itself.
  return unfiltered || isNamed ? [{ event_type: eventType, filter: {} }] : []
}

const nothingWanted = (app: App) =>
  new Problem('conflict', {
    detail: `No user has granted the app ${app.id} what these event types need. Create an access token of a user (POST /operator/seed, POST /operator/worlds or sign-in), or name \`user_ids\`.`,
  })

const tooMany = (count: number, existing: number) =>
  new Problem('rule-cap', {
    detail: `The inbox would need ${count} subscriptions, and the app has ${existing} of at most ${SUBSCRIPTION_LIMIT}: name fewer \`events\` or \`user_ids\`.`,
  })

/** Subscribes the webhook of an inbox, through the same checks as `POST /2/activity/subscriptions`. */
export async function subscribeInbox(
  app: App,
  webhookId: string,
  { events, userIds }: WantedEvents,
  services: InboxSubscriptionServices,
): Promise<Subscription[]> {
  const { subscriptions, now } = services
  const types = events === undefined ? eventTypeNames : [...new Set(events.map(canonicalEventType))]
  const subjects = userIds?.map((userId): Subject => ({ userId, consent: undefined })) ?? (await consentingUsers(app, services))
  const wanted = types.flatMap((eventType) => wantedOf(eventType, subjects, events !== undefined, now()))
  if (wanted.length === 0) throw nothingWanted(app)
  const existing = await subscriptions.count(app.id)
  if (existing + wanted.length > SUBSCRIPTION_LIMIT) throw tooMany(wanted.length, existing)
  const caller = { app, rateKey: 'operator' }
  const made: Subscription[] = []
  for (const one of wanted) made.push(await subscribe(caller, { ...one, webhook_id: webhookId }, services))
  return made
}
