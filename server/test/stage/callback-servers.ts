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

async function listen(server: Server, host: string, port = 0): Promise<Listening> {
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
  await new Promise<void>((listening) => server.listen(port, host, listening))
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

/** A real callback on loopback, on a free port unless one is named, over https when it is given a certificate. */
export async function startCallback(
  answer: Answering,
  { host = '127.0.0.1', port = 0, ...tls }: ServerOptions & { host?: string; port?: number } = {},
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
  const listening = await listen(server, host, port)
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

type Names = Record<string, readonly string[] | 'silence' | 'failure'>

/** The records of a name, and of the names that it leads to; a loop ends where it began. */
function recordsOf(names: Names, base: string, followed: readonly string[] = []): { base: string; type: number; data: object }[] {
  const { TYPE } = DNS.Packet
  const entries = names[base]
  if (typeof entries !== 'object' || followed.includes(base)) return []
  return entries.flatMap((entry) => {
    if (!ipaddr.isValid(entry))
      return [{ base, type: TYPE.CNAME, data: { domain: entry } }, ...recordsOf(names, entry, [...followed, base])]
    const address = ipaddr.parse(entry)
    return [{ base, type: address.kind() === 'ipv4' ? TYPE.A : TYPE.AAAA, data: { address: address.toNormalizedString() } }]
  })
}

/**
 * A real DNS server. It answers each name with its addresses, with `[]` that the name has none, with `'silence'` nothing
 * at all and with `'failure'` that it failed; other names do not exist. An entry that is a name is a CNAME, which it follows
 * as far as it can. The map may change between questions. Questions for records of the type `silentFor` are never answered.
 */
export async function startNameServer(names: Names, ttlSeconds = 1, silentFor?: 'A' | 'AAAA'): Promise<NameServer> {
  const { Packet } = DNS
  const questions: string[] = []
  const signal = createSignal()
  const handle: NonNullable<Parameters<typeof DNS.createServer>[0]>['handle'] = (request, send) => {
    const question = request.questions[0]!
    const name = question.name ?? ''
    questions.push(name)
    signal.changed()
    const answer = names[name]
    if (answer === 'silence' || (silentFor && question.type === Packet.TYPE[silentFor])) return
    const response = Packet.createResponseFromRequest(request)
    if (answer === undefined) response.header.rcode = Packet.RCODE.NXDOMAIN
    else if (answer === 'failure') response.header.rcode = Packet.RCODE.SERVFAIL
    else {
      for (const { type, base, data } of recordsOf(names, name)) {
        if (type !== question.type && type !== Packet.TYPE.CNAME) continue
        response.answers.push(Packet.createResourceFromQuestion({ ...question, name: base, type }, { ttl: ttlSeconds, ...data }))
      }
    }
    send(response)
  }
  /** Answers that are too long for UDP are asked for again over TCP, at the same port. */
  const overTcp = DNS.createServer({ tcp: true, handle })
  await overTcp.listen({ tcp: { port: 0, address: '127.0.0.1' } })
  const { port } = overTcp.addresses().tcp as AddressInfo
  const overUdp = DNS.createServer({ udp: true, handle })
  await overUdp.listen({ udp: { port, address: '127.0.0.1' } })
  return {
    address: `127.0.0.1:${port}`,
    questions,
    asked: (name) => signal.until(() => questions.includes(name)),
    [Symbol.asyncDispose]: async () => void (await Promise.all([overUdp.close(), overTcp.close()])),
  }
}
