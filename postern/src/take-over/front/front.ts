import { once } from 'node:events'
import { createServer as createHttpServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Certificate, makeServerCertificate } from '../certificates/authority.ts'
import { type Admission, nobody } from './admission.ts'
import type { ProxyBefore } from './elsewhere.ts'
import { createRoutes, type Scheme } from './routes.ts'

export interface FrontOptions {
  /** The origin of Postern that each host leads to: `api.x.com` → `http://127.0.0.1:4000`. */
  hosts: Readonly<Record<string, string>>
  authority: Certificate
  /** A port of loopback; any free one when left out. */
  port?: number
  proxyBefore?: ProxyBefore
  /** Who may reach other hosts through it; nobody when left out. */
  admission?: Admission
}

/** The listener on loopback that is all of these hosts, with TLS and without, and a proxy for them and for all others. */
export interface Front extends AsyncDisposable {
  port: number
  /** The ports of clients whose requests are not answered yet. */
  busyPorts(): ReadonlySet<number>
  /** Lets the process end although this listens and clients wait in their pools. */
  unref(): void
  close(): Promise<void>
}

const TLS_HANDSHAKE = 22
/** How long a client may take to say what it speaks, and to send its headers. */
const SPEAK_MS = 10_000
/** After this long without a byte in either direction a connection ends. The activity stream sends some every 20 s. */
const IDLE_MS = 600_000
const KEEP_ALIVE_MS = 60_000

function limit(server: HttpServer): void {
  Object.assign(server, { headersTimeout: SPEAK_MS, requestTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS, timeout: IDLE_MS })
}

/** Calls back once it is known whether the client speaks TLS; nothing that it sent is lost. */
function whenItSpeaks(socket: Socket, then: (isTls: boolean) => void): void {
  const giveUp = () => socket.destroy()
  socket.on('error', giveUp)
  socket.setTimeout(SPEAK_MS, giveUp)
  socket.once('data', (first: Buffer) => {
    socket.pause()
    socket.setTimeout(0)
    socket.off('timeout', giveUp)
    socket.unshift(first)
    then(first[0] === TLS_HANDSHAKE)
    process.nextTick(() => socket.resume())
  })
}

/** Starts the front on loopback. */
export async function startFront(options: FrontOptions): Promise<Front> {
  const { hosts, authority, port = 0, proxyBefore = () => undefined, admission = nobody } = options
  const connections = new Set<Socket>()
  const busy = new Set<number>()

  const hold = (request: IncomingMessage, response: ServerResponse) => {
    const { remotePort } = request.socket
    if (remotePort === undefined) return
    busy.add(remotePort)
    response.once('close', () => busy.delete(remotePort))
  }

  const { answer, isOurs, toElsewhere } = createRoutes({ hosts, proxyBefore, admission })
  const answerAs = (scheme: Scheme) => (request: IncomingMessage, response: ServerResponse) => {
    hold(request, response)
    answer(scheme, request, response)
  }

  const certificate = makeServerCertificate(Object.keys(hosts), authority)
  const secure = createHttpsServer({ ...certificate, ALPNProtocols: ['http/1.1'], handshakeTimeout: SPEAK_MS }, answerAs('https'))
  const plain = createHttpServer(answerAs('http'))
  for (const server of [secure, plain]) {
    limit(server)
    server.on('checkContinue', answerAs(server === secure ? 'https' : 'http'))
  }

  const take = (socket: Socket) => whenItSpeaks(socket, (isTls) => (isTls ? secure : plain).emit('connection', socket))

  plain.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (!isOurs(request)) return toElsewhere(request, socket, head)
    socket.on('error', () => {})
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) socket.unshift(head)
    take(socket)
  })

  let isHeld = true
  const gate = createServer((socket) => {
    if (!isHeld) socket.unref()
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
    take(socket)
  })
  gate.listen({ port, host: '127.0.0.1' })
  await once(gate, 'listening')

  const close = async () => {
    if (!gate.listening) return
    const closed = once(gate, 'close')
    gate.close()
    for (const socket of connections) socket.destroy()
    await closed
  }
  const unref = () => {
    isHeld = false
    gate.unref()
  }
  return { port: (gate.address() as AddressInfo).port, busyPorts: () => busy, unref, close, [Symbol.asyncDispose]: close }
}
