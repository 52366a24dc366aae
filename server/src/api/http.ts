import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Logger } from 'pino'
import type { RawAnswer, RawRequest } from './raw.ts'

/** Something that answers at a path. */
export interface Route {
  /** With `:name` placeholders. */
  path: string
  bodyLimitBytes: number
  respond(request: RawRequest): Promise<RawAnswer>
}

/** How a host answers what reaches no route, or is not a request at all. */
export interface Fallbacks {
  notFound(path: string): RawAnswer
  tooLarge(path: string, limitBytes: number): RawAnswer
  badRequest(path: string, why: string): RawAnswer
  notReady(path: string): RawAnswer
  broken(path: string): RawAnswer
}

/** One listener: an origin with its routes. */
export interface Host {
  /** The port that it listens on. */
  listen(port: number, host: string): Promise<number>
  /** Stops accepting, finishes what is in flight. */
  close(): Promise<void>
}

const REQUEST_TIMEOUT_MS = 30_000
const MOST_HEADER_BYTES = 16 * 1024

const pathOf = (target: string) => target.split('?', 1)[0]!

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

/** As bytes: to text the library would add a charset that a problem's media type does not have. */
const bytesOf = (body: string | Buffer) => (typeof body === 'string' ? Buffer.from(body) : body)

interface TransportError {
  code?: string
  statusCode?: number
  message: string
}

/** The only place that knows the HTTP library: it carries bytes, and nothing of it is seen elsewhere. */
export function createHost(routes: readonly Route[], fallbacks: Fallbacks, log: Logger): Host {
  let closing = false

  /** The last answer of a connection says so: one that is kept would keep the listener from closing. */
  const send = (reply: FastifyReply, { status, headers, body }: RawAnswer) =>
    reply
      .code(status)
      .headers(closing ? { ...headers, connection: 'close' } : headers)
      .send(bytesOf(body))

  const refuse = (error: TransportError, request: FastifyRequest, reply: FastifyReply) => {
    const path = pathOf(request.raw.url ?? '/')
    if (error.statusCode === 413) return send(reply, fallbacks.tooLarge(path, request.routeOptions.bodyLimit))
    if (error.statusCode !== undefined && error.statusCode < 500) return send(reply, fallbacks.badRequest(path, error.message))
    log.error({ err: error, path }, 'a request failed')
    return send(reply, fallbacks.broken(path))
  }
  const server: FastifyInstance = fastify({
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { maxHeaderSize: MOST_HEADER_BYTES },
    forceCloseConnections: 'idle',
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1000 },
    frameworkErrors: (error, request, reply) => void refuse({ message: error.message, statusCode: 400 }, request, reply),
  })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  server.setErrorHandler((error, request, reply) => void refuse(error as TransportError, request, reply))
  server.setNotFoundHandler((request, reply) => send(reply, fallbacks.notFound(pathOf(request.raw.url ?? '/'))))
  for (const { path, bodyLimitBytes, respond } of routes)
    server.all(path, { bodyLimit: bodyLimitBytes }, async (request, reply) => send(reply, await respond(rawRequest(request))))

  return {
    async listen(port, host) {
      await server.listen({ port, host })
      return (server.server.address() as { port: number }).port
    },
    async close() {
      closing = true
      await server.close()
    },
  }
}
