import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver as createFetchReceiver } from '../../src/fetch.ts'
import { createReceiver, type LogEntry, type ReceivedEvent, type ReceiverOptions } from '../../src/index.ts'
import { SECRET, signed } from './signed.ts'

/** A receiver that records events and log entries, and a way to send it requests: over a socket, or directly to its fetch handler. */
export interface TestReceiver {
  events: ReceivedEvent[]
  log: LogEntry[]
  send(path: string, init?: RequestInit): Promise<Response>
  /** Posts a text with its valid signature, or with the given headers. */
  post(body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>): Promise<Response>
  [Symbol.asyncDispose](): Promise<void>
}

/** Opens a receiver behind each kind of server. */
export const openReceiver = {
  'node:http': openNode,
  fetch: openFetch(createReceiver),
  'fetch without Node': openFetch(createFetchReceiver),
}

async function openNode(options: Partial<ReceiverOptions> = {}): Promise<TestReceiver> {
  const recorded = recording(createReceiver, options)
  const server = await listen(recorded.receiver.node)
  return testReceiver(recorded, (path, init) => fetch(`${server.url}${path}`, init), server[Symbol.asyncDispose])
}

function openFetch(create: (options: ReceiverOptions) => { fetch(request: Request): Promise<Response> }) {
  return async (options: Partial<ReceiverOptions> = {}): Promise<TestReceiver> => {
    const recorded = recording(create, options)
    return testReceiver(
      recorded,
      (path, init) => recorded.receiver.fetch(new Request(`https://callback.example${path}`, init)),
      async () => {},
    )
  }
}

function recording<Receiver>(create: (options: ReceiverOptions) => Receiver, options: Partial<ReceiverOptions>) {
  const events: ReceivedEvent[] = []
  const log: LogEntry[] = []
  const receiver = create({
    secrets: [SECRET],
    onEvent: (event) => void events.push(event),
    log: (entry) => log.push(entry),
    ...options,
  })
  return { events, log, receiver }
}

function testReceiver(
  { events, log }: Pick<TestReceiver, 'events' | 'log'>,
  send: TestReceiver['send'],
  close: () => Promise<void>,
): TestReceiver {
  const post: TestReceiver['post'] = (body, headers = { 'x-service-webhooks-signature': signed(body) }) =>
    send('/webhook', { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
  return { events, log, send, post, [Symbol.asyncDispose]: close }
}

/** An HTTP server on a free loopback port. */
export async function listen(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed())
      server.closeAllConnections()
    })
  return { server, port, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close }
}
