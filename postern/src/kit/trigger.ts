import type { OperatorApi } from './operator-api.ts'

/** What of the example of an event is to be different. Users are ids or usernames. */
export interface TriggerOptions {
  /** Whom the event is about. */
  user?: string
  /** To whom it was done. */
  to?: string
  /** Who did it. */
  from?: string
  /** The text of the post or message. */
  text?: string
  /** Members of the payload, by name. */
  payload?: Readonly<Record<string, unknown>>
  [parameter: string]: unknown
}

/** An event that was published. */
export interface Triggered {
  event_uuid: string
  /** The event as a producer would publish it. */
  // biome-ignore lint/suspicious/noExplicitAny: its members depend on the event type
  event: any
  subscriptions: number
  deliveries: number
  /** Why nobody got it. */
  reasons?: string[]
}

interface Answer {
  data: Pick<Triggered, 'event_uuid' | 'event'>
  meta: Pick<Triggered, 'subscriptions' | 'deliveries' | 'reasons'>
}

/** Publishes an example of an event type (`docs/events.md`). */
export type Trigger = (eventType: string, options?: TriggerOptions) => Promise<Triggered>

const PEOPLE = ['user', 'user_id', 'to', 'from'] as const

/** `idOf` knows users by their names; others are left to the server. */
export const createTrigger =
  (api: OperatorApi, idOf: (user: string) => string): Trigger =>
  async (eventType, options = {}) => {
    const people = PEOPLE.flatMap((name) => (typeof options[name] === 'string' ? [[name, idOf(options[name])]] : []))
    const body = { ...options, ...Object.fromEntries(people), event_type: eventType }
    const { data, meta } = await api.call<Answer>('POST', '/operator/trigger', body)
    return { ...data, ...meta }
  }
