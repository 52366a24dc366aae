import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import { type Clock, createClock } from '../../lib/clock.ts'
import { type HostLimits, hostLimits, USUAL_BODY_BYTES } from '../declare/host-limits.ts'
import type { RawAnswer, RawRequest } from '../declare/raw-request.ts'
import { isMultipart } from '../read/body.ts'
import { type AnswerListener, type AnswerReport, createAnswerReport } from './answer-report.ts'
import { createBodyDeadlines } from './body-deadlines.ts'
import { createBrokenRequests } from './broken-requests.ts'
import { headerProblem } from './check-headers.ts'
import { createDescriptorWatch } from './descriptors.ts'
import {
  type Exchange,
  hasBody,
  isStreamed,
  isTyped,
  isUpload,
  mayBeLarge,
  nextRequestId,
  pathOfExchange,
  rawRequest,
  servedBy,
} from './exchange.ts'
import type { Fallbacks } from './fallbacks.ts'
import { createLargeBodies, readBody } from './large-bodies.ts'
import { createLimitedServer } from './limited-server.ts'
import { addressesOf, openListeners } from './listeners.ts'
import { createRouteFinder, type Route } from './route.ts'
import { sendCut, sendEndless, sendStream } from './send-streams.ts'

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

/** Answers without a body say no length: with 304 it would be that of another answer, and with 204 there is none (RFC 9110, 8.6). */
const WITHOUT_LENGTH: readonly number[] = [204, 304]

/**
 * How answers are written. `isClosing`: each answer is then the last of its connection, or it would keep the listener from closing. `isOwed`:
 * whether a connection has another answer to come.
 */
function createSender(
  log: Logger,
  report: AnswerReport,
  { isClosing, isOwed, record }: { isClosing: () => boolean; isOwed: (socket: Socket) => boolean; record: RecordAnswer | undefined },
) {
  const streamAnswer = (exchange: Exchange, answer: RawAnswer, isLast: boolean) => {
    const { response } = exchange
    const { socket } = exchange.request
    response.writeHead(answer.status, { ...answer.headers, ...(isLast && { connection: 'close' }) })
    sendStream(response, answer, (error) => {
      if (error) log.error({ err: error, path: pathOfExchange(exchange) }, 'cannot send all of an answer')
      report.sent(exchange, answer)
      // It was said to stay open, before the listener began to close.
      if (isClosing() && !isOwed(socket)) socket.end()
    })
  }

  return function send(exchange: Exchange, answer: RawAnswer, isLast = isClosing()) {
    const { response } = exchange
    const { status, headers, body } = answer
    exchange.isAnswered = true
    record?.(rawRequest(exchange), answer, report.durationMs(exchange))
    if (answer.cut) {
      sendCut(response, answer)
      return report.sent(exchange, answer)
    }
    if (answer.stream) return streamAnswer(exchange, answer, isLast)
    if (answer.endless) {
      sendEndless(response, answer)
      return report.sent(exchange, answer)
    }
    const bytes = Buffer.byteLength(body)
    const all = { ...headers, ...(!WITHOUT_LENGTH.includes(status) && { 'content-length': bytes }), ...(isLast && { connection: 'close' }) }
    // A text with as many bytes as characters is ASCII, which is written without being encoded again.
    response.writeHead(status, all).end(body, bytes === body.length ? 'latin1' : 'utf8')
    report.sent(exchange, answer)
  }
}

type Send = ReturnType<typeof createSender>

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

/** Serves what is found at the path of a request; any other path is not found. */
function createServing(
  send: Send,
  fallbacks: Fallbacks,
  log: Logger,
  { limits, largeBodies }: { limits: HostLimits; largeBodies: ReturnType<typeof createLargeBodies> },
) {
  const clock = createClock()

  /** Answers a request whose body is not read, and ends its connection. */
  async function sendLast(exchange: Exchange, answer: RawAnswer) {
    await passOver(exchange.request, clock, limits)
    send(exchange, answer, true)
  }

  /** Whether a request may send its large body; it is answered if not. */
  async function admits(exchange: Exchange, { refuseEarly, bodyLimitBytes }: Route): Promise<boolean> {
    const refusal = await refuseEarly?.(rawRequest(exchange))
    if (!refusal && (await largeBodies.enter(exchange.request, exchange.response, bodyLimitBytes))) return true
    await sendLast(exchange, refusal ?? fallbacks.busy(pathOfExchange(exchange)))
    return false
  }

  function respond(exchange: Exchange): Promise<RawAnswer> | RawAnswer {
    const { request, found } = exchange
    const raw = rawRequest(exchange)
    if (!found) return fallbacks.notFound(pathOfExchange(exchange), raw)
    return largeBodies.handle(request, () => found.route.respond(raw))
  }

  async function handle(exchange: Exchange) {
    const { request } = exchange
    const route = servedBy(exchange)
    const refuse = (why: string, isLast?: boolean) => send(exchange, fallbacks.badRequest(pathOfExchange(exchange), why), isLast)
    const isAsked = route?.refuseEarly && mayBeLarge(request) && !(route.streams && isMultipart(request))
    if (isAsked && !(await admits(exchange, route))) return
    if (!hasBody(request)) return send(exchange, await respond(exchange))
    if (!isTyped(request)) return refuse('The Content-Type header is not a media type.')
    exchange.isUnread = true
    if (isStreamed(exchange)) {
      const answer = await respond(exchange)
      await passOver(request, clock, limits)
      return request.complete ? send(exchange, answer) : send(exchange, answer, true)
    }
    const body = await readBody(request, route?.bodyLimitBytes ?? USUAL_BODY_BYTES)
    // Where nothing takes a body, that is what is wrong with it, not its size.
    if (body === 'too-large')
      return sendLast(exchange, route ? fallbacks.tooLarge(pathOfExchange(exchange), route.bodyLimitBytes) : await respond(exchange))
    if (body === 'cut-off') return refuse('The request cannot be read.', true)
    exchange.body = body
    exchange.isUnread = false
    send(exchange, await respond(exchange))
  }

  const serve = async (exchange: Exchange) => {
    try {
      await handle(exchange)
    } catch (error) {
      const path = pathOfExchange(exchange)
      log.error({ err: error, path }, 'unhandled error in a request')
      if (exchange.isAnswered) exchange.response.destroy()
      else send(exchange, fallbacks.broken(path))
    }
  }
  return { serve, sendLast }
}

/** Serves routes over HTTP, on the server of Node. Others see bytes. */
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
  const find = createRouteFinder(routes)
  const broken = createBrokenRequests(fallbacks, limits, (answer, socket, request) => {
    report.refused(answer.status)
    // Browsers connect ahead of their requests, and monitors to see whether they can: neither asked for anything.
    if (socket.bytesRead > 0) record?.(request ? unserved(request) : UNREADABLE, answer, 0)
  })
  const send = createSender(log, report, { isClosing: () => isClosing, isOwed: broken.isOwed, record })
  const { serve, sendLast } = createServing(send, fallbacks, log, { limits, largeBodies })
  const takesUploads = routes.some(({ streams }) => streams)
  const deadlines = takesUploads ? createBodyDeadlines(clock, limits, broken.clientError) : undefined

  const receive = (request: IncomingMessage, response: ServerResponse) => {
    broken.request(request, response)
    const receivedMs = clock.monotonic()
    const found = find(request.url ?? '/')
    const exchange: Exchange = { id: nextRequestId(), request, response, receivedMs, found, body: null, isUnread: false, isAnswered: false }
    deadlines?.begin(request, isUpload(exchange))
    const why = headerProblem(request)
    if (why === undefined) broken.inTurn(request, () => void serve(exchange))
    else void sendLast(exchange, fallbacks.badRequest(pathOfExchange(exchange), why))
  }

  const server = createLimitedServer(limits, takesUploads)
    .on('connection', createDescriptorWatch(log, clock))
    .on('request', receive)
    .on('connect', broken.connect)
    .on('checkExpectation', broken.checkExpectation)
    .on('clientError', broken.clientError)
    // What is written later begins the time anew.
    .on('timeout', (socket) => void (broken.isBeingAnswered(socket) || socket.destroy()))
  let listeners: Awaited<ReturnType<typeof openListeners>> | undefined

  return {
    async listen(port, host) {
      listeners = await openListeners(server, port, await addressesOf(host))
      return listeners.port
    },
    unref() {
      listeners?.unref()
      server.on('connection', (socket) => socket.unref())
    },
    endConnections,
    async close() {
      endConnections()
      const cut = clock.after(limits.drainMs, () => server.closeAllConnections())
      await listeners?.close()
      cut.cancel()
    },
  }
}
