import { writeExactJson } from '../lib/numbers.ts'
import type { Delivery } from '../storage/event-log.ts'
import type { Subscription } from '../storage/subscriptions.ts'

/** What an event carries. */
export interface EventContent {
  payload: unknown
  includes?: unknown
}

const BEFORE_PAYLOAD = '"payload":'

/**
 * The body of a delivery is `{"data":{"event_uuid":…,"filter":…,"tag":…,"event_type":…,"payload":…,"includes":…}}`. It is stored as two
 * pieces of JSON text, so that an event is stored once: `content` is the same for every webhook, `match` is for one.
 */
// Its parts are not joined as text first, which would be copied once more.
export function contentOf(payload: unknown, includes: unknown): Buffer {
  const carried = writeExactJson(payload)
  const end = includes === undefined ? '}}' : `,"includes":${writeExactJson(includes)}}}`
  const carriedBytes = Buffer.byteLength(carried)
  const content = Buffer.allocUnsafe(BEFORE_PAYLOAD.length + carriedBytes + Buffer.byteLength(end))
  content.write(BEFORE_PAYLOAD)
  content.write(carried, BEFORE_PAYLOAD.length)
  content.write(end, BEFORE_PAYLOAD.length + carriedBytes)
  return content
}

/** A filter with the member names of the API. */
export const filterView = ({ filter }: Pick<Subscription, 'filter'>) => ({
  ...(filter.userId !== undefined && { user_id: filter.userId }),
  ...(filter.keyword !== undefined && { keyword: filter.keyword }),
  ...(filter.direction !== undefined && { direction: filter.direction }),
})

export function matchOf(subscription: Subscription): string {
  const tag = subscription.tag === null ? '' : `,"tag":${JSON.stringify(subscription.tag)}`
  return `"filter":${JSON.stringify(filterView(subscription))}${tag}`
}

/** The user of the filter in a `match`; undefined if its filter has none. */
export const userOfMatch = (match: string): string | undefined => /^"filter":\{"user_id":"([0-9]+)"/.exec(match)?.[1]

/** What a body begins with; its content follows. */
export const headOf = ({ eventUuid, eventType, match }: Pick<Delivery, 'eventUuid' | 'eventType' | 'match'>): string =>
  `{"data":{"event_uuid":"${eventUuid}",${match},"event_type":"${eventType}",`

/** The exact bytes that are signed and sent, and those of a line of a stream. */
export function bodyOf(delivery: Pick<Delivery, 'eventUuid' | 'eventType' | 'match' | 'content'>): Buffer {
  const { content } = delivery
  const head = headOf(delivery)
  const headBytes = Buffer.byteLength(head)
  const body = Buffer.allocUnsafe(headBytes + content.length)
  body.write(head)
  body.set(content, headBytes)
  return body
}
