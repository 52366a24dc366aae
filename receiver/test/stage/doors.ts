import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver, type Happening, type ReceivedEvent, type Receiver, type ReceiverOptions } from '../../src/index.ts'
import { SECRET, signed } from './signed.ts'

/** A receiver that keeps what it got, and a way to send it requests: over a socket, or straight into its fetch handler. */
export interface Door {
  events: ReceivedEvent[]
  log: Happening[]
  send(path: string, init?: RequestInit): Promise<Response>
  /** Posts a text with its right signature, or with the headers given. */
  post(body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>): Promise<Response>
  [Symbol.asyncDispose](): Promise<void>
}

export const DOORS = { 'node:http': openNode, fetch: openFetch }

async function openNode(options: Partial<ReceiverOptions> = {}): Promise<Door> {
  const kept = keepingReceiver(options)
  const server = await listen(kept.receiver.node)
  return door(kept, (path, init) => fetch(`${server.url}${path}`, init), server[Symbol.asyncDispose])
}

async function openFetch(options: Partial<ReceiverOptions> = {}): Promise<Door> {
  const kept = keepingReceiver(options)
  return door(
    kept,
    (path, init) => kept.receiver.fetch(new Request(`https://callback.example${path}`, init)),
    async () => {},
  )
}

function keepingReceiver(options: Partial<ReceiverOptions>) {
  const events: ReceivedEvent[] = []
  const log: Happening[] = []
  const receiver: Receiver = createReceiver({
    secrets: [SECRET],
    onEvent: (event) => void events.push(event),
    log: (happening) => log.push(happening),
    ...options,
  })
  return { events, log, receiver }
}

function door({ events, log }: Pick<Door, 'events' | 'log'>, send: Door['send'], close: () => Promise<void>): Door {
  const post: Door['post'] = (body, headers = { 'x-service-webhooks-signature': signed(body) }) =>
    send('/webhook', { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } })
  return { events, log, send, post, [Symbol.asyncDispose]: close }
}

/** A server on a free port of loopback. */
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
