import type { Logger } from 'pino'
import { Problem } from '../../api/declare/problem.ts'
import { createClock } from '../../lib/clock.ts'
import { randomAlphanumeric } from '../../lib/crypto.ts'
import type { AppStore } from '../../storage/apps.ts'
import type { Changes } from '../../storage/changes.ts'
import type { EventLog } from '../../storage/event-log.ts'
import type { Metadata } from '../../storage/metadata.ts'
import { logUnlessUnavailable } from '../../storage/unavailable.ts'
import type { Webhook, WebhookStore } from '../../storage/webhooks.ts'
import { answerChallenge, receiveEvent } from './answer-callback.ts'
import { type AnswerInbox, createInboxListener } from './inbox-listener.ts'
import { createKeptEvents, type KeptEvents } from './kept-events.ts'

/** A receiver of this process, for tests: a callback with its webhook and the events that came. */
export interface Inbox {
  /** Unguessable: it is part of the callback URL. */
  id: string
  url: string
  appId: string
  /** Undefined until its webhook is registered. */
  webhookId: string | undefined
  createdAtMs: number
  events: KeptEvents
}

/** How many inboxes a process has. */
export const MAX_INBOXES = 50
export const INBOX_ID_LENGTH = 22

export interface InboxesOptions {
  apps: AppStore
  webhooks: WebhookStore
  eventLog: EventLog
  metadata: Metadata
  changes: Changes
  /** The number of this process. */
  worker: number
  /** In lower case, in the served dialect. */
  signatureHeader: string
  now: () => number
  logger: Logger
}

export interface Inboxes {
  /** Opens an inbox that answers challenges for an app. Throws `conflict` when there are too many. */
  open(appId: string): Promise<Inbox>
  /** Notes the webhook of an inbox, so that it is removed with it. */
  registered(inbox: Inbox, webhookId: string): Promise<void>
  get(id: string): Inbox | undefined
  /** Oldest first. */
  list(): Inbox[]
  /** Removes an inbox with its webhook and subscriptions. */
  remove(inbox: Inbox): Promise<void>
  /** Forgets all inboxes, because their webhooks are gone. */
  clear(): void
  /** Makes inboxes and webhooks agree again, because former data were restored: neither stays without the other. */
  reconcile(): Promise<void>
  /** Removes the webhooks of inboxes that a former process with this number had. */
  removeLeft(): Promise<void>
  /** Ends all waiting, so that no call is in progress for long. */
  endWaiting(): void
  /** Removes all inboxes, and stops listening. */
  stop(): Promise<void>
}

const tooMany = () =>
  new Problem('conflict', {
    detail: `There are ${MAX_INBOXES} inboxes, the most that there may be. Delete one with DELETE /operator/inboxes/<id>; GET /operator/inboxes lists them.`,
  })

/** The webhooks of the inboxes of a process, in the database: the next process with its number removes those that are left. */
function createNotes({ metadata, worker }: InboxesOptions) {
  const name = `inbox_webhooks_${worker}`
  return {
    async read(): Promise<[appId: string, webhookId: string][]> {
      return JSON.parse((await metadata.get(name)) ?? '[]')
    },
    async write(inboxes: Iterable<Inbox>) {
      const written = JSON.stringify([...inboxes].flatMap(({ appId, webhookId }) => (webhookId === undefined ? [] : [[appId, webhookId]])))
      // A server that never had an inbox has no row of them.
      if (written !== ((await metadata.get(name)) ?? '[]')) await metadata.setUnsynced(name, written)
    },
  }
}

/** Looks at the inboxes of a webhook or an app that was changed, as their webhooks may have been deleted. */
function watchWebhooks(inboxes: ReadonlyMap<string, Inbox>, { changes, logger }: InboxesOptions, check: CheckInboxes) {
  changes.listen((change) => {
    const isAbout = ({ appId, webhookId }: Inbox) =>
      change.kind === 'everything' ||
      (change.kind === 'webhook' && change.id === webhookId) ||
      (change.kind === 'app' && change.id === appId)
    const suspects = [...inboxes.values()].filter(isAbout)
    if (suspects.length === 0) return
    check(suspects).catch((error) => logUnlessUnavailable(logger, error, 'could not look up the webhooks of inboxes'))
  })
}

/** Forgets those of these inboxes whose webhooks were deleted. */
type CheckInboxes = (inboxes: readonly Inbox[]) => Promise<void>

const MAX_WEBHOOKS_PER_PAGE = 1000

/** The webhooks whose callback URLs begin so. */
async function webhooksAt(start: string, webhooks: WebhookStore): Promise<Webhook[]> {
  const found: Webhook[] = []
  for (let after: string | null = null; ; ) {
    const page: Webhook[] = await webhooks.listAll({ after, limit: MAX_WEBHOOKS_PER_PAGE })
    found.push(...page.filter(({ url }) => url.startsWith(start)))
    if (page.length < MAX_WEBHOOKS_PER_PAGE) return found
    after = page.at(-1)!.id
  }
}

const answering =
  (inboxes: ReadonlyMap<string, Inbox>, { apps, now }: InboxesOptions): AnswerInbox =>
  async (id, request) => {
    const inbox = inboxes.get(id)
    const app = inbox && (await apps.byId(inbox.appId))
    if (!inbox || !app) return undefined
    if (request.method === 'GET') return answerChallenge(request, app, now())
    if (request.method !== 'POST') return { status: 405, body: { message: 'Use GET for challenges and POST for events.' } }
    const { event, answer } = receiveEvent(request, app, now())
    inbox.events.add(event)
    return answer
  }

/** The inboxes of this process. An inbox lives until it is deleted, its webhook or app is, the server is reset, or the process ends. */
export function createInboxes(options: InboxesOptions): Inboxes {
  const { webhooks, eventLog, signatureHeader, now, logger } = options
  const inboxes = new Map<string, Inbox>()
  const notes = createNotes(options)
  const realClock = createClock()

  const listener = createInboxListener(signatureHeader, answering(inboxes, options))

  const forget = (inbox: Inbox) => {
    inboxes.delete(inbox.id)
    inbox.events.close()
  }

  const removeWebhook = async (appId: string, webhookId: string) => {
    if (await webhooks.remove(appId, webhookId)) await eventLog.cancel(webhookId, now(), 'webhook deleted')
  }

  const remove = async (inbox: Inbox) => {
    forget(inbox)
    if (inbox.webhookId !== undefined) await removeWebhook(inbox.appId, inbox.webhookId)
    await notes.write(inboxes.values())
  }

  const check: CheckInboxes = async (suspects) => {
    for (const inbox of suspects) {
      const { webhookId } = inbox
      if (webhookId !== undefined && !(await webhooks.byId(webhookId))) forget(inbox)
    }
  }

  watchWebhooks(inboxes, options, check)

  return {
    async open(appId) {
      if (inboxes.size >= MAX_INBOXES) throw tooMany()
      const id = randomAlphanumeric(INBOX_ID_LENGTH)
      const events = createKeptEvents(realClock)
      const inbox: Inbox = { id, url: '', appId, webhookId: undefined, createdAtMs: now(), events }
      inboxes.set(id, inbox)
      inbox.url = await listener.urlOf(id)
      return inbox
    },
    async registered(inbox, webhookId) {
      inbox.webhookId = webhookId
      await notes.write(inboxes.values())
    },
    get: (id) => inboxes.get(id),
    list: () => [...inboxes.values()],
    remove,
    clear() {
      for (const inbox of [...inboxes.values()]) forget(inbox)
    },
    async reconcile() {
      await check([...inboxes.values()])
      const start = listener.callbacksBeginWith()
      const isKnown = ({ id }: Webhook) => [...inboxes.values()].some(({ webhookId }) => webhookId === id)
      for (const webhook of start === undefined ? [] : await webhooksAt(start, webhooks))
        if (!isKnown(webhook)) await removeWebhook(webhook.appId, webhook.id)
      // A restore adds no row of its own to those of the snapshot.
      if (inboxes.size > 0 || (await notes.read()).length > 0) await notes.write(inboxes.values())
    },
    async removeLeft() {
      const left = await notes.read()
      for (const [appId, webhookId] of left) await removeWebhook(appId, webhookId)
      if (left.length > 0) await notes.write([])
    },
    endWaiting() {
      for (const { events } of inboxes.values()) events.close()
    },
    async stop() {
      for (const inbox of [...inboxes.values()])
        await remove(inbox).catch((error) => logUnlessUnavailable(logger, error, 'could not remove the webhook of an inbox'))
      await listener.close()
    },
  }
}
