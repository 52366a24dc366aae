import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Logger } from 'pino'
import { type Clock, createClock } from '../../lib/clock.ts'
import { type HostLimits, hostLimits, USUAL_BODY_BYTES } from '../declare/host-limits.ts'
import { pathOf, type RawAnswer, type RawRequest } from '../declare/raw-request.ts'
import { CONTENT_TYPES, isMultipart, isOfType } from '../read/body.ts'
import { type AnswerListener, type AnswerReport, createAnswerReport, RECEIVED } from './answer-report.ts'
import { createBodyDeadlines } from './body-deadlines.ts'
import { createBrokenRequests } from './broken-requests.ts'
import { headerProblem } from './check-headers.ts'
import { createDescriptorWatch } from './descriptors.ts'
import type { Fallbacks } from './fallbacks.ts'
import { createLargeBodies, readBody } from './large-bodies.ts'
import { createRouteFinder, type Found, type Route } from './route.ts'
import { sendCut, sendEndless, sendStream } from './send-streams.ts'
import { serverOptions } from './server-options.ts'

/** What a host does that the usual one does not. */
export interface HostOptions {
  limits?: HostLimits
  largeBodies?: ReturnType<typeof createLargeBodies>
  answered?: AnswerListener
  /** Told of each request with its answer, and how long that took: in development alone. */
  record?: RecordAnswer
}

/** What is recorded of a request that cannot be read. */
const UNREADABLE: RawRequest = { method: '?', target: '?', query: '', pathParams: {}, headers: {}, body: null, remoteAddress: '' }

/** What is recorded of a request that is refused once its headers were read. */
const unserved = ({ method = '?', url = '?', headers }: IncomingMessage): RawRequest => ({ ...UNREADABLE, method, target: url, headers })

type RecordAnswer = (request: RawRequest, answer: RawAnswer, durationMs: number) => void

/** One listener: an origin with its routes. */
export interface Host {
  /** The port that it listens on. */
  listen(port: number, host: string): Promise<number>
  /** Lets the process end although it listens. */
  unref(): void
  /** From here on each answer is the last of its connection. */
  endConnections(): void
  /** Stops accepting, and finishes what is in flight, within the limit for that. */
  close(): Promise<void>
}

/** The library hands every body on unread. */
const isUnread = (body: unknown): body is IncomingMessage => body instanceof Readable

function rawRequest(request: FastifyRequest): RawRequest {
  const target = request.raw.url ?? '/'
  const at = target.indexOf('?')
  const { found, bytes = null } = reachedBy(request)
  return {
    method: request.method,
    target,
    query: at < 0 ? '' : target.slice(at + 1),
    pathParams: found?.pathParams ?? {},
    headers: request.headers,
    body: bytes,
    ...(isUnread(request.body) && bytes === null && { unread: request.body }),
    connection: request.socket,
    remoteAddress: request.socket.remoteAddress ?? '',
  }
}

interface TransportError {
  code?: string
  statusCode?: number
}

/** Messages for what the library refuses before a route is called. */
const refusals: Record<string, string> = {
  FST_ERR_BAD_URL: 'The path is not valid percent-encoded UTF-8.',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The Content-Type header is not a media type.',
}

/** Of a body that no endpoint takes. */
const ELSEWHERE_BODY_BYTES = 1024 * 1024

const mayBeLarge = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > USUAL_BODY_BYTES

/** Answers without a body say no length: with 304 it would be that of another answer, and with 204 there is none (RFC 9110, 8.6). */
const WITHOUT_LENGTH: readonly number[] = [204, 304]

/** How answers are written. `isClosing`: each answer is then the last of its connection, or it would keep the listener from closing. */
function createSender(fallbacks: Fallbacks, log: Logger, report: AnswerReport, isClosing: () => boolean, record?: RecordAnswer) {
  const streamAnswer = ({ raw, request }: FastifyReply, answer: RawAnswer, closes: boolean) => {
    raw.writeHead(answer.status, { ...answer.headers, ...(closes && { connection: 'close' }) })
    sendStream(raw, answer, (error) => {
      if (error) log.error({ err: error, path: pathOf(request.raw.url ?? '/') }, 'cannot send all of an answer')
      report.sent(request, answer)
      // It was said to stay open, before the listener began to close.
      if (isClosing()) raw.socket?.end()
    })
  }

  /** Past the library, which would add a charset that the media type of a problem does not have. The library asks itself for the end of some connections. */
  const send = (reply: FastifyReply, answer: RawAnswer, isLast = isClosing()) => {
    const { status, headers, body } = answer
    const closes = isLast || reply.getHeader('connection') === 'close'
    reply.hijack()
    record?.(rawRequest(reply.request), answer, report.durationMs(reply.request))
    if (answer.cut) {
      sendCut(reply.raw, answer)
      return report.sent(reply.request, answer)
    }
    if (answer.stream) return streamAnswer(reply, answer, closes)
    if (answer.endless) {
      sendEndless(reply.raw, answer)
      return report.sent(reply.request, answer)
    }
    const bytes = Buffer.byteLength(body)
    const all = { ...headers, ...(!WITHOUT_LENGTH.includes(status) && { 'content-length': bytes }), ...(closes && { connection: 'close' }) }
    // A text with as many bytes as characters is ASCII, which is written without being encoded again.
    reply.raw.writeHead(status, all).end(body, bytes === body.length ? 'latin1' : 'utf8')
    report.sent(reply.request, answer)
  }
  return {
    send,
    /** Answers an error of the library. Where the next request could not be told from this one, it is the last of its connection. */
    refuse(error: TransportError, request: FastifyRequest, reply: FastifyReply, isLast = isClosing()) {
      const path = pathOf(request.raw.url ?? '/')
      if (error.statusCode !== undefined && error.statusCode < 500)
        return send(reply, fallbacks.badRequest(path, refusals[error.code ?? ''] ?? 'The request cannot be read.'), isLast)
      log.error({ err: error, path }, 'unhandled error in a request')
      return send(reply, fallbacks.broken(path))
    },
  }
}

type Sender = ReturnType<typeof createSender>

/** What a request reaches, kept on it; absent on one that the library refuses itself. */
interface Reached {
  found?: Found | undefined
  bytes?: Buffer | null
}

const reachedBy = (request: FastifyRequest) => request as unknown as Reached

/** The route that serves the method of a request at its path. */
function servedBy(request: FastifyRequest): Route | undefined {
  const route = reachedBy(request).found?.route
  return route?.methods.includes(request.method) ? route : undefined
}

/** Whether a request brings a body that is streamed. Others are held in memory: whoever sends those slowly would keep room from all. */
const isUpload = (request: FastifyRequest) => servedBy(request)?.streams === true && isMultipart(request.raw)

/** Whether a body is handed on as it comes. Forms come whole, because signatures cover them. */
const isStreamed = (request: FastifyRequest) => servedBy(request)?.streams === true && !isOfType(request.raw, CONTENT_TYPES.form)

/** Passes over what is left of a body that was refused, for a moment: whoever is still sending would not see the answer. */
function passOver(request: IncomingMessage, clock: Pick<Clock, 'after'>, { lingerMs }: HostLimits): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      timer.cancel()
      resolve()
    }
    const timer = clock.after(lingerMs, end)
    request.once('end', end).once('close', end).once('error', end).resume()
  })
}

/** A server without routes: it leaves bodies unread, and answers what is no request as the interface does. */
function createServer(
  { send, refuse }: Sender,
  fallbacks: Fallbacks,
  { limits, takesUploads, find }: { limits: HostLimits; takesUploads: boolean; find: (target: string) => Found | undefined },
  report: AnswerReport,
  record?: RecordAnswer,
): FastifyInstance {
  const broken = createBrokenRequests(fallbacks, limits, (answer, socket, request) => {
    report.refused(answer.status)
    // Browsers connect ahead of their requests, and monitors to see whether they can: neither asked for anything.
    if (socket.bytesRead > 0) record?.(request ? unserved(request) : UNREADABLE, answer, 0)
  })
  const deadlines = takesUploads ? createBodyDeadlines(createClock(), limits, broken.clientError) : undefined
  const server: FastifyInstance = fastify({
    ...serverOptions(limits, takesUploads),
    clientErrorHandler: broken.clientError,
    frameworkErrors: ({ code }, request, reply) => void refuse({ code, statusCode: 400 }, request, reply, true),
  })
  server.server.maxConnections = limits.connections
  server.server.prependListener('request', broken.request).on('connect', broken.connect).on('checkExpectation', broken.checkExpectation)
  server.addHttpMethod('QUERY', { overrideExisting: true })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, body, done) => done(null, body))
  server.decorateRequest(RECEIVED, 0)
  for (const member of ['found', 'bytes'] satisfies (keyof Reached)[]) server.decorateRequest(member, null)
  server.addHook('onRequest', (request, reply, done) => {
    report.received(request)
    reachedBy(request).found = find(request.raw.url ?? '/')
    deadlines?.begin(request.raw, isUpload(request))
    const why = headerProblem(request.raw)
    if (why === undefined) return broken.inTurn(request.raw, done)
    send(reply, fallbacks.badRequest(pathOf(request.raw.url ?? '/'), why), true)
  })
  server.setErrorHandler((error, request, reply) => void refuse(error as TransportError, request, reply))
  return server
}

/** Serves the routes, whose table `found` of each request comes from; any other path is not found. */
function serveRoutes(
  server: FastifyInstance,
  { send }: Sender,
  fallbacks: Fallbacks,
  { limits, largeBodies }: { limits: HostLimits; largeBodies: ReturnType<typeof createLargeBodies> },
) {
  const clock = createClock()
  const pathOfRequest = ({ raw }: FastifyRequest) => pathOf(raw.url ?? '/')

  /** Answers what may not send its large body. */
  async function refuseLarge({ refuseEarly, bodyLimitBytes }: Route, request: FastifyRequest, reply: FastifyReply) {
    const refusal = await refuseEarly?.(rawRequest(request))
    if (refusal) return send(reply, refusal, true)
    if (!(await largeBodies.enter(request.raw, reply.raw, bodyLimitBytes))) send(reply, fallbacks.busy(pathOfRequest(request)), true)
  }

  async function respond(request: FastifyRequest): Promise<RawAnswer> {
    const raw = rawRequest(request)
    const route = reachedBy(request).found?.route
    if (!route) return fallbacks.notFound(pathOf(raw.target), raw)
    return largeBodies.handle(request.raw, () => route.respond(raw))
  }

  async function handle(request: FastifyRequest, reply: FastifyReply) {
    const isUnreadYet = isUnread(request.body)
    if (isUnreadYet && !isStreamed(request)) {
      const limitBytes = servedBy(request)?.bodyLimitBytes ?? ELSEWHERE_BODY_BYTES
      const bytes = await readBody(request.raw, limitBytes)
      if (bytes === 'too-large') return send(reply, fallbacks.tooLarge(pathOfRequest(request), limitBytes), true)
      if (bytes === 'cut-off') return send(reply, fallbacks.badRequest(pathOfRequest(request), 'The request cannot be read.'), true)
      reachedBy(request).bytes = bytes
    }
    const answer = await respond(request)
    if (!isUnreadYet || reachedBy(request).bytes) return send(reply, answer)
    await passOver(request.raw, clock, limits)
    return request.raw.complete ? send(reply, answer) : send(reply, answer, true)
  }

  server.addHook('onRequest', (request, reply, done) => {
    const route = servedBy(request)
    if (!route?.refuseEarly || !mayBeLarge(request.raw) || (route.streams && isMultipart(request.raw))) return done()
    refuseLarge(route, request, reply).then(() => reply.sent || done(), done)
  })
  server.route({ method: server.supportedMethods, url: '*', handler: handle })
  server.setNotFoundHandler(handle)
}

/** Serves routes over HTTP. This file is the only one that knows the HTTP library; others see bytes. */
export function createHost(
  routes: readonly Route[],
  fallbacks: Fallbacks,
  log: Logger,
  { limits = hostLimits, largeBodies = createLargeBodies(), answered = () => {}, record }: HostOptions = {},
): Host {
  let isClosing = false
  const endConnections = () => {
    isClosing = true
  }
  const clock = createClock()
  const report = createAnswerReport(answered, clock)
  const sender = createSender(fallbacks, log, report, () => isClosing, record)
  const takesUploads = routes.some(({ streams }) => streams)
  const server = createServer(sender, fallbacks, { limits, takesUploads, find: createRouteFinder(routes) }, report, record)
  serveRoutes(server, sender, fallbacks, { limits, largeBodies })
  server.server.on('connection', createDescriptorWatch(log, clock))
  return {
    async listen(port, host) {
      await server.listen({ port, host })
      return (server.server.address() as { port: number }).port
    },
    unref() {
      server.server.unref().on('connection', (socket) => socket.unref())
    },
    endConnections,
    async close() {
      endConnections()
      const cut = clock.after(limits.drainMs, () => server.server.closeAllConnections())
      await server.close()
      cut.cancel()
    },
  }
}
