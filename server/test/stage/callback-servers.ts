import { createServer as createHttpServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer, type ServerOptions } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import DNS from 'dns2'
import ipaddr from 'ipaddr.js'
import { createSignal } from './signal.ts'

export interface ReceivedRequest {
  method: string
  /** Path and query, as they came. */
  target: string
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Answers a request; one that does not end the response leaves the request hanging. */
export type Answering = (request: ReceivedRequest, response: ServerResponse) => void

interface Listening extends AsyncDisposable {
  port: number
  /** How many connections were accepted. */
  connections(): number
  /** How many connections are open now. */
  open(): number
  connected(count: number): Promise<void>
  /** Resolves once no more than `count` connections are open. */
  closed(count?: number): Promise<void>
}

export interface Callback extends Listening {
  /** Scheme, address and port, without a path. */
  origin: string
  requests: readonly ReceivedRequest[]
  received(count: number): Promise<void>
}

async function listen(server: Server, host: string): Promise<Listening> {
  const sockets = new Set<Socket>()
  const signal = createSignal()
  let accepted = 0
  server.on('connection', (socket: Socket) => {
    accepted++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => {
      sockets.delete(socket)
      signal.changed()
    })
    signal.changed()
  })
  await new Promise<void>((listening) => server.listen(0, host, listening))
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => accepted,
    open: () => sockets.size,
    connected: (count) => signal.until(() => accepted >= count),
    closed: (count = 0) => signal.until(() => sockets.size <= count),
    [Symbol.asyncDispose]: () =>
      new Promise((closed) => {
        server.close(() => closed())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** A real callback on a free port of loopback, over https when it is given a certificate. */
export async function startCallback(
  answer: Answering,
  { host = '127.0.0.1', ...tls }: ServerOptions & { host?: string } = {},
): Promise<Callback> {
  const requests: ReceivedRequest[] = []
  const signal = createSignal()
  const server = tls.cert ? createHttpsServer(tls) : createHttpServer()
  server.on('tlsClientError', () => {})
  server.on('request', async (request, response) => {
    const body = await buffer(request)
    const received = { method: request.method!, target: request.url!, headers: request.headers, body }
    requests.push(received)
    signal.changed()
    answer(received, response)
  })
  const listening = await listen(server, host)
  return {
    ...listening,
    origin: `${tls.cert ? 'https' : 'http'}://${host}:${listening.port}`,
    requests,
    received: (count) => signal.until(() => requests.length >= count),
  }
}

/** A server that speaks no protocol but what it is told. */
export const startSocketServer = (connected: (socket: Socket) => void): Promise<Listening> =>
  listen(createTcpServer(connected), '127.0.0.1')

export interface NameServer extends AsyncDisposable {
  /** `127.0.0.1:…`, for a resolver. */
  address: string
  /** Names that were asked for, once for each kind of record. */
  questions: readonly string[]
  asked(name: string): Promise<void>
}

/**
 * A real DNS server. It answers each name with its addresses, with `[]` that the name has none, with `'silence'` nothing
 * at all and with `'failure'` that it failed; other names do not exist. The map may change between questions.
 */
export async function startNameServer(
  names: Record<string, readonly string[] | 'silence' | 'failure'>,
  ttlSeconds = 1,
): Promise<NameServer> {
  const { Packet } = DNS
  const questions: string[] = []
  const signal = createSignal()
  const server = DNS.createServer({
    udp: true,
    handle(request, send) {
      const question = request.questions[0]!
      const name = question.name ?? ''
      questions.push(name)
      signal.changed()
      const answer = names[name]
      if (answer === 'silence') return
      const response = Packet.createResponseFromRequest(request)
      if (answer === undefined) response.header.rcode = Packet.RCODE.NXDOMAIN
      else if (answer === 'failure') response.header.rcode = Packet.RCODE.SERVFAIL
      else {
        for (const address of answer.map((text) => ipaddr.parse(text))) {
          const kind = address.kind() === 'ipv4' ? Packet.TYPE.A : Packet.TYPE.AAAA
          if (kind !== question.type) continue
          const record = { ttl: ttlSeconds, address: address.toNormalizedString() }
          response.answers.push(Packet.createResourceFromQuestion(question, record))
        }
      }
      send(response)
    },
  })
  await server.listen({ udp: { port: 0, address: '127.0.0.1' } })
  const { port } = server.addresses().udp as AddressInfo
  return {
    address: `127.0.0.1:${port}`,
    questions,
    asked: (name) => signal.until(() => questions.includes(name)),
    [Symbol.asyncDispose]: async () => void (await server.close()),
  }
}
