import { connect, type Socket } from 'node:net'
import { pino } from 'pino'
import { generalAreaOf } from '../../../src/api/areas.ts'
import { type HostLimits, hostLimits } from '../../../src/api/declare/host-limits.ts'
import type { RawRequest } from '../../../src/api/declare/raw-request.ts'
import { fallbacksOf } from '../../../src/api/http/fallbacks.ts'
import { createHost } from '../../../src/api/http/http.ts'
import { takeAnswers, type WireAnswer } from './raw-client.ts'

export const LARGE_ANSWER_BYTES = 1024 * 1024

const json = (value: unknown) => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: JSON.stringify(value),
})

export interface BareHost extends AsyncDisposable {
  origin: string
  /** How many requests reached a route. */
  served(): number
  /** What was recorded, as in `GET /2/echo 200`. */
  recorded: readonly string[]
  close(): Promise<void>
}

/**
 * A listener of the house with routes that answer at once: `/2/echo` says what came, `/2/large` a lot, `/2/held` what `held` resolves
 * to. Its limits are those of the house but for these.
 */
export async function startBareHost(limits: Partial<HostLimits> = {}, held: Promise<unknown> = Promise.resolve()): Promise<BareHost> {
  let served = 0
  const recorded: string[] = []
  const route = (path: string, respond: (request: RawRequest) => unknown) => ({
    path,
    methods: ['GET', 'POST'],
    bodyLimitBytes: 1024,
    async respond(request: RawRequest) {
      served += 1
      return json(await respond(request))
    },
  })
  const routes = [
    route('/2/echo', ({ method, target, body }) => ({ method, target, body: body?.toString() ?? null })),
    route('/2/large', () => 'x'.repeat(LARGE_ANSWER_BYTES)),
    route('/2/held', () => held),
  ]
  const log = pino({ level: 'silent' })
  const host = createHost(routes, fallbacksOf({ problemBaseUrl: 'https://api.example.com/2/problems' }, generalAreaOf), log, {
    limits: { ...hostLimits, ...limits },
    record: ({ method, target }, { status }) => recorded.push(`${method} ${target} ${status}`),
  })
  const port = await host.listen(0, '127.0.0.1')
  return {
    origin: `http://127.0.0.1:${port}`,
    served: () => served,
    recorded,
    close: () => host.close(),
    [Symbol.asyncDispose]: () => host.close(),
  }
}

/** Opens a connection and sends these bytes. */
export function openWith(origin: string, bytes: string | Buffer = ''): Socket {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname).on('error', () => {})
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  return socket
}

/** All that comes on a connection until the other side closes it. */
export const untilClosed = (socket: Socket) =>
  new Promise<WireAnswer[]>((resolve, reject) => {
    const pieces: Buffer[] = []
    socket.on('data', (piece: Buffer) => pieces.push(piece)).on('end', () => socket.end())
    socket.on('close', () => {
      try {
        resolve(takeAnswers(Buffer.concat(pieces), false))
      } catch (error) {
        reject(error)
      }
    })
  })
