import { checkNames } from './check-names.ts'
import type { EventBody, EventName } from './event-names.ts'
import { isGone, type OperatorApi, unlessGone } from './operator-api.ts'
import type { Snapshots } from './snapshots.ts'

/** An event as an inbox received it. */
export interface ReceivedEvent<Name extends EventName = EventName> {
  /** Its place in the inbox, from 1. */
  sequence: number
  received_at: string
  event_uuid: string | null
  event_type: string | null
  /** The user of the filter that matched. */
  user_id: string | null
  /** Whether its signature is right. */
  verified: boolean
  /** Whether the same `event_uuid` came before. */
  duplicate: boolean
  signature: string | null
  /** The body. */
  event: EventBody<Name>
}

/** What an inbox is subscribed to. */
export interface InboxOptions {
  /** Event types. Default: all that need no keyword. */
  events?: readonly EventName[]
  /** Ids or usernames of those whom the events are about. Default: all who have allowed the app. */
  users?: readonly string[]
}

export interface NextOptions {
  /** How long to wait for it, in milliseconds. Default: 5000. */
  timeoutMs?: number
}

/** Nothing came in time. The message says what was attempted instead. */
export class NothingReceived extends Error {
  /** Sentences: why the event matched nothing, what became of its deliveries. */
  readonly explanation: readonly string[]
  constructor(message: string, explanation: readonly string[]) {
    super(message)
    this.name = 'NothingReceived'
    this.explanation = explanation
  }
}

/** A receiver of webhooks: it answers challenges, verifies signatures and keeps the events. */
export interface Inbox {
  /** Registers the receiver as a webhook of the app and subscribes it. A second time replaces the first. */
  register(options?: InboxOptions): Promise<void>
  /**
   * The next event that was not taken yet, of this type if one is given; waits for it.
   * @throws NothingReceived with what was attempted instead; PosternError at once for what is no event type.
   */
  next<Name extends EventName>(eventType?: Name, options?: NextOptions): Promise<ReceivedEvent<Name>>
  /** All events that it holds, taken or not, oldest first. */
  events<Name extends EventName>(eventType?: Name): Promise<ReceivedEvent<Name>[]>
  /** Its callback URL. @throws before `register`. */
  readonly url: string
  readonly webhookId: string
  /** Removes the webhook and its subscriptions. An inbox that a reset or a restore took away is no error. */
  remove(): Promise<void>
  /** What `JSON.stringify` prints: nothing before `register`. */
  toJSON(): object
}

/** What an inbox is made of. */
interface InboxParts {
  api: OperatorApi
  appId: string
  /** Knows users by their names. */
  idOf: (user: string) => string
  follow: Snapshots['follow']
  /** What to say where the app is gone. */
  appIsGone?: string
}

interface Registered {
  id: string
  url: string
  webhook_id: string
}

interface EventsAnswer {
  data: ReceivedEvent[]
  meta: { next: number; explanation?: string[] }
}

const TIMEOUT_MS = 5000
/** The longest that the server waits before it answers. */
const MOST_MS = 60_000
const ALL = 1000

/** Which events were taken already: each once, whatever type was asked for. */
function createTaken() {
  const taken = new Set<number>()
  const places = new Map<string | undefined, number>()
  return {
    /** After which event to look for the next of a type. */
    after: (eventType: string | undefined) => places.get(eventType) ?? 0,
    /** Whether it was not taken before. */
    take(eventType: string | undefined, sequence: number): boolean {
      places.set(eventType, Math.max(sequence, places.get(eventType) ?? 0))
      if (taken.has(sequence)) return false
      taken.add(sequence)
      return true
    },
  }
}

const nothing = (eventType: string | undefined, timeoutMs: number, explanation: readonly string[]) =>
  new NothingReceived([`no ${eventType ?? 'event'} came within ${timeoutMs} ms.`, ...explanation].join(' '), explanation)

/** An inbox of an app. After a restore it is what it was, if the same one is left. */
export function createInbox({ api, appId, idOf, follow, appIsGone }: InboxParts): Inbox {
  let registered: Registered | undefined
  let taken = createTaken()

  const current = (): Registered => {
    if (!registered) throw new Error('the inbox receives nothing yet: `await inbox.register()` first')
    return registered
  }
  const read = async (query: Record<string, string | number | undefined>) => {
    const { id } = current()
    try {
      return await api.call<EventsAnswer>('GET', `/operator/inboxes/${id}/events`, undefined, query)
    } catch (error) {
      if (!isGone(error)) throw error
      if (registered?.id === id) registered = undefined
      throw new Error('the inbox is gone, after a reset, a restore, or because its webhook was deleted: `await inbox.register()` again', {
        cause: error,
      })
    }
  }

  const remove = async () => {
    if (!registered) return
    const { id } = registered
    registered = undefined
    await unlessGone(api.call('DELETE', `/operator/inboxes/${id}`))
  }

  follow({
    remember: () => undefined,
    recall(_, inboxes) {
      if (registered && !inboxes.has(registered.id)) registered = undefined
    },
  })

  return {
    async register(options = {}) {
      checkNames('inbox.register', options, ['events', 'users'] satisfies (keyof InboxOptions)[])
      const { events, users } = options
      await remove()
      const userIds = users && { user_ids: users.map(idOf) }
      const body = { app_id: appId, ...(events && { events }), ...userIds }
      const answer = await api.call<{ data: Registered }>('POST', '/operator/inboxes', body).catch((error: unknown) => {
        throw appIsGone !== undefined && isGone(error) ? new Error(appIsGone, { cause: error }) : error
      })
      registered = answer.data
      taken = createTaken()
    },
    async next<Name extends EventName>(eventType?: Name, options: NextOptions = {}) {
      checkNames('inbox.next', options, ['timeoutMs'] satisfies (keyof NextOptions)[])
      const { timeoutMs = TIMEOUT_MS } = options
      if (!(timeoutMs >= 0)) throw new RangeError(`timeoutMs is a number of milliseconds from 0 on, and not ${timeoutMs}`)
      const untilMs = performance.now() + timeoutMs
      for (;;) {
        const leftMs = Math.max(0, Math.ceil(untilMs - performance.now()))
        const query = { event_type: eventType, after: taken.after(eventType), wait: `${Math.min(leftMs, MOST_MS)}ms`, max_results: 1 }
        const { data, meta } = await read(query)
        const [event] = data
        if (!event && leftMs <= MOST_MS) throw nothing(eventType, timeoutMs, meta.explanation ?? [])
        if (event && taken.take(eventType, event.sequence)) return event as ReceivedEvent<Name>
      }
    },
    events: async <Name extends EventName>(eventType?: Name) =>
      (await read({ event_type: eventType, max_results: ALL })).data as ReceivedEvent<Name>[],
    get url() {
      return current().url
    },
    get webhookId() {
      return current().webhook_id
    },
    remove,
    toJSON: () => (registered ? { url: registered.url, webhookId: registered.webhook_id } : {}),
  }
}
