import type { Readable } from 'node:stream'
import type { Caller } from './caller.ts'
import type { Outlet, OutletListener } from './endless-answer.ts'

/** A request as it came: nothing decoded, nothing renamed. Never changed on its way. */
export interface RawRequest {
  /** Of no other request, of any process; absent in one that no client sent, and that cannot be read. It stays the same where the request is handled again. */
  id?: number
  method: string
  /** The request target as sent, with its query string. */
  target: string
  /** The query string as sent, without its `?`. */
  query: string
  /** Path parameters, percent-decoded. */
  pathParams: Record<string, string>
  headers: Record<string, string | string[] | undefined>
  /** The body's bytes; null when there is none. */
  body: Buffer | null
  /** The body where it is not read yet: of an endpoint with a streamed body, whose callers are known before. */
  unread?: Readable
  /** Where it came from: destroyed once the client has left. */
  connection?: { readonly destroyed: boolean }
  /** The peer's address. */
  remoteAddress: string
}

/** An event that a call would have caused if a subscription to it had matched. */
export interface UnmatchedEvent {
  eventType: string
  userId: string
  /** The text in which keywords are looked for. */
  text?: string
  direction?: 'sent' | 'received'
  /** The subscriptions to it whose app had not, or no longer, the consent of the user. */
  withoutConsent: readonly string[]
}

/** An answer as it goes out. */
export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string | Buffer
  /** Instead of the body: bytes that are sent as the client reads them, as many as `content-length` says. It is destroyed when the client leaves. */
  stream?: Readable
  /** Instead of the body: called with where the bytes go, once the headers are sent. The answer ends when it ends that. Not called for HEAD. */
  endless?: (outlet: Outlet) => OutletListener
  /** The connection is cut in the middle of the answer: for a fault of a test. */
  cut?: boolean
  /** The fault of a test that this answer comes from. */
  fault?: string
  /** The events that the call has begun to publish: for who keeps a list of calls; in development alone, and no part of what is sent. */
  caused?: readonly string[]
  /** The events that the call would have caused, to which nobody has subscribed; likewise in development alone. */
  unmatched?: readonly UnmatchedEvent[]
  /** Why the call was refused, and where that is explained; in development alone, and no part of what is sent. */
  refused?: { reason: string; explainUrl?: string }
  /** Who called, where that is known; no part of what is sent. */
  caller?: Caller
  /** The name of the endpoint or page that answered, for whoever counts; absent when the request reached none. */
  endpoint?: string
}

/** A header's value; of a repeated header the first. */
export function headerOf(request: Pick<RawRequest, 'headers'>, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i

/** The path of a request target as sent: `/2/webhooks?a=b` and `http://host/2/webhooks` both name `/2/webhooks`. */
export function pathOf(target: string): string {
  const path = target.startsWith('/') ? target : target.replace(ORIGIN, '')
  return path.split('?', 1)[0] || '/'
}
