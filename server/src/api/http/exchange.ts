import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequestIds } from '../../lib/ids.ts'
import { USUAL_BODY_BYTES } from '../declare/host-limits.ts'
import { pathOf, type RawRequest } from '../declare/raw-request.ts'
import { CONTENT_TYPES, isMultipart, isOfType } from '../read/body.ts'
import type { Found, Route } from './route.ts'

/** A request on the way to its answer. */
export interface Exchange {
  /** The same however often its request is asked about. */
  readonly id: number
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** When the headers came, in monotonic milliseconds. */
  readonly receivedMs: number
  /** What is served at its path, whatever the method. */
  readonly found: Found | undefined
  /** The body once it is read. */
  body: Buffer | null
  /** Whether it has a body that is not read. */
  isUnread: boolean
  isAnswered: boolean
}

export const pathOfExchange = ({ request }: Exchange): string => pathOf(request.url ?? '/')

export const nextRequestId: () => number = createRequestIds()

export function rawRequest({ id, request, found, body, isUnread }: Exchange): RawRequest {
  const { method = '', url: target = '/', headers, socket } = request
  const at = target.indexOf('?')
  const raw: RawRequest = {
    id,
    method,
    target,
    query: at < 0 ? '' : target.slice(at + 1),
    pathParams: found?.pathParams ?? {},
    headers,
    body,
    connection: socket,
    remoteAddress: socket.remoteAddress ?? '',
  }
  if (isUnread) raw.unread = request
  return raw
}

/** The route that serves the method of a request at its path. */
export function servedBy({ request, found }: Exchange): Route | undefined {
  return found?.route.methods.includes(request.method!) ? found.route : undefined
}

/** Methods whose bodies are read. That of any other is passed over. */
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Whether a request has a body, or says of what type it would be: a typed body may be empty. */
export function hasBody({ method, headers }: IncomingMessage): boolean {
  if (!METHODS_WITH_BODY.includes(method!)) return false
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': coding } = headers
  return type !== undefined || coding !== undefined || length !== '0'
}

/** `type/subtype` of tokens (RFC 9110, 8.3.1), whatever the parameters. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/

/** Whether a body has a media type, or none is named. */
export const isTyped = ({ headers: { 'content-type': type } }: IncomingMessage): boolean =>
  type === undefined || MEDIA_TYPE.test(type.split(';', 1)[0]!.trim())

export const mayBeLarge = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > USUAL_BODY_BYTES

/** Whether a request brings a body that is streamed. Others are held in memory: whoever sends those slowly would keep room from all. */
export const isUpload = (exchange: Exchange): boolean => servedBy(exchange)?.streams === true && isMultipart(exchange.request)

/** Whether a body is handed on as it comes. Forms come whole, because signatures cover them. */
export const isStreamed = (exchange: Exchange): boolean =>
  servedBy(exchange)?.streams === true && !isOfType(exchange.request, CONTENT_TYPES.form)
