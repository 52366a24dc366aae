import type { EventName, MemberNames, PayloadOf } from './event-names.ts'
import type { OperatorApi } from './operator-api.ts'

/** Who causes an event, and how. Users are ids or usernames; who is not named is somebody who may. */
export interface TriggerOptions<Name extends EventName = EventName> {
  /** Whom the event is about. */
  user?: string
  /** To whom it is done. */
  to?: string
  /** Who does it. */
  from?: string
  /** Who is not named is one of these, if one of them may. A world has its own users here. */
  among?: readonly string[]
  /** The text of the post or message, the bio, name, location, URL or title. */
  text?: string
  /** Members of the payload, by name. With any, an example is published instead. */
  payload?: { readonly [Member in MemberNames<PayloadOf<Name>>]?: unknown }
  /** Whether to wait until the event was delivered. Default: true. */
  wait?: boolean
  /** The same as `user`. */
  user_id?: string
  /** Whether its user did it, where either is possible. */
  direction?: 'sent' | 'received'
  /** The app that `oauth.revoke` names. */
  app_id?: string
}

/** What became of a delivery of an event that was triggered. */
export interface TriggeredDelivery {
  webhook_id: string
  /** The callback URL; null if the webhook is deleted, like `app_id`. */
  url: string | null
  app_id: string | null
  event_uuid: string
  event_type: string
  /** The number of the last attempt; 0 if there was none. */
  attempt: number
  /** What the callback answered; null if it did not. */
  status: number | null
  outcome: 'delivered' | 'failed' | 'not_sent' | 'under_way'
  duration_ms?: number
  /** Why it was not delivered. */
  error?: string
  /** The beginning of what the callback answered with an error. */
  response?: string
  /** Where the callback answered 401 or 403: what may be wrong with the signature. */
  hint?: string
  next_try_at?: string
  /** Of one that is under way: why it was not waited for. */
  reason?: string
}

/** An event as it is published. */
export interface PublishedEvent<Name extends EventName> {
  event_type: Name
  user_id: string
  direction?: 'sent' | 'received'
  text?: string
  payload: PayloadOf<Name>
  // biome-ignore lint/suspicious/noExplicitAny: objects of every kind
  includes?: any
}

/** What a trigger caused. */
export interface Triggered<Name extends EventName = EventName> {
  /** Absent, like `event`, if nobody has subscribed to an event of an action. */
  event_uuid?: string
  /** The event that was published. */
  event?: PublishedEvent<Name>
  /** Whether it is an example. Otherwise an action was performed, and what the event tells of is there. */
  example: boolean
  /** The call that was made: `POST /2/posts`. */
  performed?: string
  /** The ids of the users who acted. */
  from?: string
  to?: string
  /** What the call answered. */
  // biome-ignore lint/suspicious/noExplicitAny: its members depend on the call
  answer?: any
  /** All deliveries of what it caused, those of the event that was asked for first. Empty with `wait: false`. */
  deliveries: TriggeredDelivery[]
  /** The subscriptions that bring the event to a webhook or a stream. */
  subscriptions: number
  /** Why no callback got it. */
  reasons?: string[]
  /** Of an example: why it is one, and what of it is not real. */
  note?: string
}

interface Answer<Name extends EventName> {
  data: Omit<Triggered<Name>, 'subscriptions' | 'reasons' | 'note' | 'deliveries'> & { deliveries?: TriggeredDelivery[] }
  meta: Pick<Triggered, 'subscriptions' | 'reasons' | 'note'> & { deliveries: number }
}

/**
 * Causes an event of a type (`docs/events.md`): performs the action that it follows from, or publishes an example where no call makes it.
 * Resolves once it was delivered, and says what each callback answered. @throws with the refusal of the action.
 */
export type Trigger = <Name extends EventName>(eventType: Name, options?: TriggerOptions<Name>) => Promise<Triggered<Name>>

const PEOPLE = ['user', 'user_id', 'to', 'from'] as const

/** `idOf` knows users by their names; others are left to the server. `own` are the users who act where nobody is named. */
export const createTrigger =
  (api: OperatorApi, idOf: (user: string) => string, own?: readonly string[]): Trigger =>
  async <Name extends EventName>(eventType: Name, options: TriggerOptions<Name> = {}) => {
    const people = PEOPLE.flatMap((name) => (typeof options[name] === 'string' ? [[name, idOf(options[name])]] : []))
    const among = options.among?.map(idOf) ?? own
    const body = { ...options, ...(among && { among }), ...Object.fromEntries(people), event_type: eventType }
    const { data, meta } = await api.call<Answer<Name>>('POST', '/operator/trigger', body)
    return { ...meta, ...data, deliveries: data.deliveries ?? [] }
  }
