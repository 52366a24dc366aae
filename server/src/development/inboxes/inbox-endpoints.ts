import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { boolean, id, integer, iso, listOf, matching, object, optional, text, timestamp } from '../../api/declare/words.ts'
import { mayReceive, needsConsent } from '../../delivery/consent.ts'
import { canonicalEventType, eventTypeNames, eventTypes } from '../../delivery/events/event-types.ts'
import { type SubscribeServices, subscribe, type WantedSubscription } from '../../endpoints/activity/subscribe.ts'
import { viewsOf } from '../../endpoints/activity/subscription-consent.ts'
import { SUBSCRIPTION_LIMIT, subscriptionSchema } from '../../endpoints/activity/subscription-view.ts'
import { eventTypeName } from '../../endpoints/events/event-type-name.ts'
import { type NamedUsers, namedUser, userName } from '../../endpoints/operator/users/named-user.ts'
import { type RegisterServices, registerWebhook } from '../../endpoints/webhooks/register-webhook.ts'
import type { GiveWay } from '../../lib/fair-turns.ts'
import type { App, AppStore } from '../../storage/apps.ts'
import type { Consents, UserConsent } from '../../storage/consents.ts'
import type { Subscription, SubscriptionStore } from '../../storage/subscriptions.ts'
import type { UserStore } from '../../storage/users.ts'
import { INBOX_ID_LENGTH, type Inbox, type Inboxes, MAX_INBOXES } from './inboxes.ts'
import { MAX_EVENTS } from './kept-events.ts'

export const inboxId = () =>
  matching(`^[A-Za-z0-9]{${INBOX_ID_LENGTH}}$`, {
    example: 'Qm3vR8sT1uW5xY7zA2bC4d',
    mustBe: `the id of an inbox, ${INBOX_ID_LENGTH} letters and digits`,
  })

const inboxMembers = {
  id: inboxId(),
  url: text({ description: 'The callback URL, on loopback.' }),
  app_id: id(),
  webhook_id: id(),
  created_at: timestamp(),
  received: integer({ min: 0, description: 'How many events came, with duplicates and those with a wrong signature.' }),
  dropped: integer({ min: 0, description: `How many of them are no longer kept: the oldest beyond ${MAX_EVENTS}, or beyond 8 MB.` }),
}

const inboxView = ({ id, url, appId, webhookId, createdAtMs, events }: Inbox) => ({
  id,
  url,
  app_id: appId,
  webhook_id: webhookId ?? '',
  created_at: iso(createdAtMs),
  ...events.counts(),
})

const inboxSchema = object(inboxMembers)

/** The inbox of an id, with its webhook. Throws `not-found`. */
export function findInbox(inboxes: Inboxes, id: string): Inbox & { webhookId: string } {
  const inbox = inboxes.get(id)
  if (inbox?.webhookId === undefined)
    throw new Problem('not-found', {
      detail: `There is no inbox ${id}: it was deleted, with its webhook or its app, or the server was reset or restarted. POST /operator/inboxes makes one.`,
    })
  return inbox as Inbox & { webhookId: string }
}

interface InboxSubscriptionServices extends SubscribeServices {
  users: UserStore
  consents: Consents
  subscriptions: SubscriptionStore
}

/** What an inbox is asked to receive; what is undefined is everything that the app may have. */
interface WantedEvents {
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
async function subscribeInbox(
  app: App,
  webhookId: string,
  { events, userIds }: WantedEvents,
  services: InboxSubscriptionServices,
  giveWay: GiveWay,
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
  for (const one of wanted) {
    made.push(await subscribe(caller, { ...one, webhook_id: webhookId }, services))
    await giveWay()
  }
  return made
}

interface Services extends RegisterServices, InboxSubscriptionServices {
  apps: AppStore
  inboxes: Inboxes
}

const conflict = (detail: string) => new Problem('conflict', { detail })

async function appOf(apps: AppStore, appId: string | undefined): Promise<App> {
  const app = appId === undefined ? (await apps.list(null, 1))[0] : await apps.byId(appId)
  if (!app) throw appId === undefined ? conflict('There is no app: create one with POST /operator/apps.') : noApp(appId)
  if (app.suspended)
    throw conflict(`The app ${app.id} is suspended, so nothing is sent to it. Resume it with PATCH /operator/apps/${app.id}.`)
  if (!app.activityEnrolled)
    throw conflict(`The app ${app.id} is not enrolled in the activity API. Enrol it with PATCH /operator/apps/${app.id}.`)
  return app
}

const noApp = (appId: string) => new Problem('not-found', { detail: `There is no app ${appId}.` })

/** The ids of users that are named by ids or usernames, each once. */
async function idsOf(users: NamedUsers, named: readonly string[]): Promise<string[]> {
  const ids = new Set<string>()
  for (const [place, given] of named.entries()) ids.add((await namedUser(users, `user_ids.${place}`, given)).id)
  return [...ids]
}

export const createInbox = endpoint({
  name: 'createInbox',
  route: 'POST /operator/inboxes',
  section: '§6',
  summary: 'Create an inbox: a receiver for tests that keeps the events it gets.',
  description: `Development only. An inbox is a real callback on loopback, served by this process: it is registered as a webhook of the app through a real challenge, verifies every signature with the secrets of the app, and keeps the last ${MAX_EVENTS} events. Its subscriptions pass the checks of \`POST /2/activity/subscriptions\`. By default: the first app of the server, every user with a live token of it, and every event type that they have granted it. At most ${MAX_INBOXES} at a time. It is gone, and its webhook with it, after \`DELETE\`, a reset or a restart.`,
  auth: operator,
  success: 201,
  params: {
    app_id: optional(id({ example: '1', description: 'Default: the first app.' })),
    events: optional(
      listOf(eventTypeName(), {
        min: 1,
        max: 100,
        example: ['dm.received'],
        description: 'Event types. Default: all that need no keyword.',
      }),
    ),
    user_ids: optional(
      listOf(userName(), {
        min: 1,
        max: 1000,
        description: 'Whom the events are about: user ids or usernames. Default: all users with a live token of the app.',
      }),
    ),
  },
  answer: object({ data: object({ ...inboxMembers, subscriptions: listOf(subscriptionSchema) }) }),
  problems: [
    'not-found',
    'conflict',
    'WebhookLimitExceeded',
    'CrcValidationFailed',
    'noncompliant-rules',
    'not-authorized-for-resource',
    'rule-cap',
    'usage-capped',
  ],
  async handle({ params: { app_id, events, user_ids }, giveWay }, services: Services) {
    const { apps, inboxes } = services
    const app = await appOf(apps, app_id)
    const userIds = user_ids && (await idsOf(services.users, user_ids))
    const inbox = await inboxes.open(app.id)
    try {
      const webhook = await registerWebhook(app, inbox.url, services)
      await inboxes.registered(inbox, webhook.id)
      const subscriptions = await subscribeInbox(app, webhook.id, { events, userIds }, services, giveWay)
      return { data: { ...inboxView(inbox), subscriptions: await viewsOf(app, subscriptions, services) } }
    } catch (error) {
      await inboxes.remove(inbox)
      throw error
    }
  },
})

export const listInboxes = endpoint({
  name: 'listInboxes',
  route: 'GET /operator/inboxes',
  section: '§6',
  summary: 'List the inboxes, oldest first.',
  description: 'Development only.',
  auth: operator,
  params: {},
  answer: object({ data: listOf(inboxSchema), meta: object({ result_count: integer({ min: 0 }) }) }),
  async handle(_call, { inboxes }: { inboxes: Inboxes }) {
    const registered = inboxes.list().filter(({ webhookId }) => webhookId !== undefined)
    return { data: registered.map(inboxView), meta: { result_count: registered.length } }
  },
})

export const deleteInbox = endpoint({
  name: 'deleteInbox',
  route: 'DELETE /operator/inboxes/:inbox_id',
  section: '§6',
  summary: 'Delete an inbox with its webhook and its subscriptions.',
  description: 'Development only.',
  auth: operator,
  params: { inbox_id: inboxId() },
  answer: object({ data: object({ deleted: boolean() }) }),
  problems: ['not-found'],
  async handle({ params: { inbox_id } }, { inboxes }: { inboxes: Inboxes }) {
    await inboxes.remove(findInbox(inboxes, inbox_id))
    return { data: { deleted: true } }
  },
})
