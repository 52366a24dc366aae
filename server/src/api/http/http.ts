import type { IncomingMessage } from 'node:http'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Logger } from 'pino'
import { createClock } from '../../lib/clock.ts'
import { type HostLimits, hostLimits, USUAL_BODY_BYTES } from '../declare/host-limits.ts'
import type { RawAnswer, RawRequest } from '../declare/raw-request.ts'
import { createBrokenRequests } from './broken-requests.ts'
import { unacceptable } from './check-headers.ts'
import type { Fallbacks } from './fallbacks.ts'
import { createLargeBodies } from './large-bodies.ts'
import { pathOf } from './request-target.ts'

/** Something that answers at a path. */
export interface Route {
  /** With `:name` placeholders. */
  path: string
  /** The verbs that there is an answer to; of others `respond` says so. */
  methods: readonly string[]
  bodyLimitBytes: number
  /** Refuses a caller of whom only the headers are known, before a large body is taken in; undefined lets it come. */
  refuseEarly?(request: RawRequest): Promise<RawAnswer | undefined>
  respond(request: RawRequest): Promise<RawAnswer>
}

/** One listener: an origin with its routes. */
export interface Host {
  /** The port that it listens on. */
  listen(port: number, host: string): Promise<number>
  /** Stops accepting, and finishes what is in flight, within the limit for that. */
  close(): Promise<void>
}

function rawRequest(request: FastifyRequest): RawRequest {
  const target = request.raw.url ?? '/'
  const at = target.indexOf('?')
  return {
    method: request.method,
    target,
    query: at < 0 ? '' : target.slice(at + 1),
    pathParams: request.params as Record<string, string>,
    headers: request.headers,
    body: Buffer.isBuffer(request.body) ? request.body : null,
    remoteAddress: request.socket.remoteAddress ?? '',
  }
}

interface TransportError {
  code?: string
  statusCode?: number
}

/** What the library refuses before a route is asked, in the words of the house. */
const refusals: Record<string, string> = {
  FST_ERR_BAD_URL: 'The path is not valid percent-encoded UTF-8.',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The Content-Type header is not a media type.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The request body is not as long as its Content-Length says.',
}

const settingsOf = (limits: HostLimits) => ({
  http: {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    requireHostHeader: false,
  },
  requestTimeout: limits.requestTimeoutMs,
  connectionTimeout: limits.stalledTimeoutMs,
  keepAliveTimeout: limits.keepAliveTimeoutMs,
  forceCloseConnections: 'idle' as const,
  return503OnClosing: false,
  routerOptions: { ignoreTrailingSlash: true, maxParamLength: limits.headerBytes },
})

const mayBeLarge = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > USUAL_BODY_BYTES

/** The library takes nothing between two slashes for the value of a placeholder. */
const isWhole = ({ pathParams }: RawRequest) => !Object.values(pathParams).includes('')

/** The route at a path, for verbs that it is not registered with: doing so for every verb would be a tenth of a start. */
function finder(routes: readonly Route[]) {
  const placeholders = ({ path }: Route) => path.split(':').length
  const patterns = routes
    .toSorted((one, other) => placeholders(one) - placeholders(other))
    .map((route) => ({ route, pattern: new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}/?$`) }))
  const allAt = (path: string) => patterns.filter(({ pattern }) => pattern.test(path)).map(({ route }) => route)
  return {
    routeAt: (path: string) => allAt(path)[0],
    /** Whether another route has this path too, with a placeholder: `/2/webhooks/replay` is none of the webhooks. */
    isInAnother: ({ path }: Route) => allAt(path).length > 1,
  }
}

/** The only place that knows the HTTP library: it carries bytes, and nothing of it is seen elsewhere. */
export function createHost(
  routes: readonly Route[],
  fallbacks: Fallbacks,
  log: Logger,
  limits: HostLimits = hostLimits,
  largeBodies = createLargeBodies(),
): Host {
  let closing = false

  /**
   * Past the library, which would add a charset that a problem's media type does not have. The last answer of a connection says so: one
   * that is kept would keep the listener from closing. The library says when it will not read on.
   */
  const send = (reply: FastifyReply, { status, headers, body }: RawAnswer, last = closing) => {
    const closes = last || reply.getHeader('connection') === 'close'
    reply.hijack()
    const bytes = Buffer.byteLength(body)
    const all = { ...headers, 'content-length': bytes, ...(closes && { connection: 'close' }) }
    // A text with as many bytes as characters is ASCII, which is written without being encoded again.
    reply.raw.writeHead(status, all).end(body, bytes === body.length ? 'latin1' : 'utf8')
  }

  /** What is refused before it is known whether the request can be told from the next is the last of its connection. */
  const refuse = (error: TransportError, request: FastifyRequest, reply: FastifyReply, last = closing) => {
    const path = pathOf(request.raw.url ?? '/')
    if (error.statusCode === 413) return send(reply, fallbacks.tooLarge(path, request.routeOptions.bodyLimit))
    if (error.statusCode !== undefined && error.statusCode < 500)
      return send(reply, fallbacks.badRequest(path, refusals[error.code ?? ''] ?? 'The request cannot be read.'), last)
    log.error({ err: error, path }, 'a request failed')
    return send(reply, fallbacks.broken(path))
  }
  const broken = createBrokenRequests(fallbacks, limits)
  const server: FastifyInstance = fastify({
    ...settingsOf(limits),
    clientErrorHandler: broken.clientError,
    frameworkErrors: ({ code }, request, reply) => void refuse({ code, statusCode: 400 }, request, reply, true),
  })
  server.server.maxConnections = limits.connections
  server.server.prependListener('request', broken.request).on('connect', broken.connect).on('checkExpectation', broken.checkExpectation)
  server.addHttpMethod('QUERY', { overrideExisting: true })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  server.addHook('onRequest', (request, reply, done) => {
    const why = unacceptable(request.raw)
    if (why === undefined) return broken.inTurn(request.raw, done)
    send(reply, fallbacks.badRequest(pathOf(request.raw.url ?? '/'), why), true)
  })
  server.setErrorHandler((error, request, reply) => void refuse(error as TransportError, request, reply))

  const { routeAt, isInAnother } = finder(routes)
  server.setNotFoundHandler(async (request, reply) => {
    const path = pathOf(request.raw.url ?? '/')
    const route = routeAt(path)
    return send(reply, route ? await route.respond(rawRequest(request)) : fallbacks.notFound(path))
  })
  for (const route of routes) {
    const { path, methods, bodyLimitBytes, refuseEarly, respond } = route
    const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
      if (!mayBeLarge(request.raw)) return
      const refusal = await refuseEarly?.(rawRequest(request))
      if (refusal) return send(reply, refusal, true)
      if (!(await largeBodies.enter(request.raw, reply.raw, bodyLimitBytes)))
        send(reply, fallbacks.busy(pathOf(request.raw.url ?? '/')), true)
    }
    const options = { bodyLimit: bodyLimitBytes, ...(refuseEarly && { onRequest }) }
    server.route({
      ...options,
      url: path,
      method: isInAnother(route) ? server.supportedMethods : [...methods],
      handler: async (request, reply) => {
        const raw = rawRequest(request)
        const answer = isWhole(raw) ? await largeBodies.handle(request.raw, () => respond(raw)) : fallbacks.notFound(pathOf(raw.target))
        return send(reply, answer)
      },
    })
  }

  return {
    async listen(port, host) {
      await server.listen({ port, host })
      return (server.server.address() as { port: number }).port
    },
    async close() {
      closing = true
      const cut = createClock().after(limits.drainMs, () => server.server.closeAllConnections())
      await server.close()
      cut.cancel()
    },
  }
}
