import { headerOf, pathOf } from '../../api/declare/raw-request.ts'
import {
  boolean,
  id,
  integer,
  iso,
  listOf,
  mapOf,
  nullable,
  object,
  optional,
  type Static,
  text,
  timestamp,
} from '../../api/declare/words.ts'
import type { App } from '../../storage/apps.ts'
import type { User } from '../../storage/users.ts'
import type { RecordedBody, RecordedCall } from './ledger.ts'
import { createMasks, type Masks } from './masks.ts'

/** Longer bodies are cut. */
const MAX_BODY_LENGTH = 4096

/** The same of a path in a feed. */
const MAX_PATH_LENGTH = 300

const bodyMembers = {
  headers: mapOf(text({ min: 0 })),
  body: nullable(
    text({
      min: 0,
      description: `JSON or a form with its secrets masked, at most ${MAX_BODY_LENGTH} characters. Null for anything else, such as an upload, a page, JSON that cannot be read, or where a call has hundreds of secrets.`,
    }),
  ),
  body_bytes: integer({ min: 0 }),
  truncated: boolean(),
}

export const callSchema = object({
  sequence: integer({ min: 1 }),
  at: timestamp(),
  method: text(),
  url: text({ description: 'Path and query, as they came.' }),
  host: nullable(text({ description: 'The Host header.' })),
  endpoint: nullable(text({ description: 'The id of the operation in the reference; null where there is none.' })),
  app_id: nullable(id()),
  user_id: nullable(id()),
  status: integer(),
  duration_ms: integer({ min: 0 }),
  request: object(bodyMembers),
  response: object(bodyMembers),
  refused: optional(object({ reason: text({ min: 0 }), explain_url: optional(text()) })),
  caused: listOf(text(), { description: 'The events that it caused, by their `event_uuid`; at most 100.' }),
  unmatched: listOf(object({ event_type: text(), user_id: text() }), {
    description: 'The events that it would have caused, to which nobody had subscribed; at most 20.',
  }),
  fault: optional(
    text({ description: 'The fault that hit it: its id, or `disorder-<seed>-<number>` of one that was drawn.', example: '1' }),
  ),
})

type Headers = Record<string, string | string[] | undefined>

const headersView = (headers: Headers, masks: Masks) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, masks.header(name.toLowerCase(), [value ?? ''].flat().join(', '))]),
  )

const isForm = (type: string) => type.startsWith('application/x-www-form-urlencoded')
/** What the endpoints of sign-in answer as a form says that it is HTML. A page is more than one line, and has spaces. */
const isFormAnswer = (type: string, text: string) => type.startsWith('text/html') && /^[\w.~%+&=-]*$/.test(text)

function readBody({ kept }: RecordedBody, headers: Headers, of: 'request' | 'answer', masks: Masks): string | null {
  if (kept === undefined || kept.length === 0) return null
  const type = headerOf({ headers }, 'content-type') ?? ''
  const body = typeof kept === 'string' ? kept : kept.toString('utf8')
  // A JSON body where a form belongs, as `curl -d` sends it.
  const isJson = /^\s*[{[]/.test(body)
  if ((isForm(type) && !isJson) || (of === 'answer' && isFormAnswer(type, body))) return masks.pairs(body)
  return masks.json(body, of) ?? null
}

interface Message {
  message?: unknown
}

/** What an error says, in any of its forms. */
function reasonIn(body: string | null): string {
  try {
    const { detail, errors, error_description } = JSON.parse(body ?? '') as Record<string, unknown>
    const messages = Array.isArray(errors) ? errors.map(({ message }: Message) => message).filter((one) => typeof one === 'string') : []
    return messages.length > 0 ? messages.join(' ') : String(detail ?? error_description ?? '')
  } catch {
    return ''
  }
}

const cut = (body: string | null, bytes: number) => ({
  body: body === null ? null : body.slice(0, MAX_BODY_LENGTH),
  body_bytes: bytes,
  truncated: (body?.length ?? 0) > MAX_BODY_LENGTH,
})

const FIRST_REFUSED_STATUS = 400

function refusedView({ answer: { status, refused } }: RecordedCall, answered: string | null) {
  if (status < FIRST_REFUSED_STATUS) return {}
  const url = refused?.explainUrl
  return { refused: { reason: refused?.reason ?? reasonIn(answered), ...(url !== undefined && { explain_url: url }) } }
}

/** Hides in every text what was a secret in one of them. */
function maskAll<Value>(value: Value, masks: Masks): Value {
  if (typeof value === 'string') return masks.text(value) as Value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskAll(inner, masks)])) as Value
}

/** The events that the call would have caused, had somebody subscribed to them. */
const unmatchedView = ({ answer: { unmatched = [] } }: RecordedCall) =>
  unmatched.map(({ eventType, userId }) => ({ event_type: eventType, user_id: userId }))

/** A recorded call without its secrets. */
export function callView(call: RecordedCall): Static<typeof callSchema> {
  const { request, requestBody, answer, answerBody } = call
  const masks = createMasks()
  const { app, user } = (call.caller ?? {}) as Partial<{ app: App; user: User }>
  const requestHeaders = headersView(request.headers, masks)
  const answerHeaders = headersView(answer.headers, masks)
  const url = masks.url(request.target)
  const read = [readBody(requestBody, request.headers, 'request', masks), readBody(answerBody, answer.headers, 'answer', masks)] as const
  const [asked, answered] = masks.isIncomplete() ? [null, null] : read
  const shown = {
    method: request.method,
    url,
    host: headerOf(request, 'host') ?? null,
    endpoint: answer.endpoint ?? null,
    app_id: app?.id ?? null,
    user_id: user?.id ?? null,
    request: { headers: requestHeaders, ...cut(asked, requestBody.bytes) },
    response: { headers: answerHeaders, ...cut(answered, answerBody.bytes) },
    ...refusedView(call, answered),
  }
  return {
    sequence: call.sequence,
    at: iso(call.atMs),
    status: answer.status,
    duration_ms: Math.round(call.durationMs),
    ...maskAll(shown, masks),
    caused: [...(answer.caused ?? [])],
    unmatched: unmatchedView(call),
    ...(answer.fault !== undefined && { fault: answer.fault }),
  }
}

/** What a live feed shows of a call. The path is masked as everywhere; its query is left out. */
export function feedView(call: RecordedCall) {
  const { request, answer } = call
  const { app, user } = (call.caller ?? {}) as Partial<{ app: App; user: User }>
  const masks = createMasks()
  headersView(request.headers, masks)
  return {
    kind: 'call' as const,
    at: iso(call.atMs),
    sequence: call.sequence,
    method: request.method,
    path: masks.text(pathOf(masks.url(request.target))).slice(0, MAX_PATH_LENGTH),
    endpoint: answer.endpoint ?? null,
    app_id: app?.id ?? null,
    user_id: user?.id ?? null,
    status: answer.status,
    duration_ms: Math.round(call.durationMs),
    unmatched: unmatchedView(call),
  }
}

/** What a query selects calls by. */
export interface CallFilter {
  appId?: string | undefined
  status?: number | undefined
  path?: string | undefined
  eventUuid?: string | undefined
}

export const matchesFilter =
  ({ appId, status, path, eventUuid }: CallFilter) =>
  ({ request, answer, caller }: RecordedCall): boolean =>
    (appId === undefined || (caller as Partial<{ app: App }> | undefined)?.app?.id === appId) &&
    (status === undefined || answer.status === status) &&
    (path === undefined || pathOf(request.target).startsWith(path)) &&
    (eventUuid === undefined || answer.caused?.includes(eventUuid) === true)
