import { once } from 'node:events'
import { createServer as createHttpServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type Certificate, makeServerCertificate } from '../certificates/authority.ts'
import { isAmong } from '../client/leads.cjs'
import { type Admission, nobody } from './admission.ts'
import { type ProxyBefore, passOn, refuseTunnel, tunnel } from './elsewhere.ts'
import { forward, refuse } from './forward.ts'

/** Answers the script that leads a browser's calls of the hosts to the front, and all others where they go without it. */
function proxyScript(request: IncomingMessage, response: ServerResponse, hosts: readonly string[]): void {
  const proxy = `PROXY 127.0.0.1:${request.socket.localPort}`
  const body = `var hosts = ${JSON.stringify(hosts)}
function FindProxyForURL(url, host) {
  for (var at = 0; at < hosts.length; at++)
    if (('.' + host).slice(-hosts[at].length - 1) === '.' + hosts[at]) return '${proxy}'
  return 'DIRECT'
}
`
  response.writeHead(200, { 'content-type': 'application/x-ns-proxy-autoconfig', 'cache-control': 'no-store' }).end(body)
}

type Scheme = 'http' | 'https'

interface RouteOptions {
  hosts: Readonly<Record<string, string>>
  proxyBefore: ProxyBefore
  admission: Admission
}

/** Where the front sends what it is asked. Whatever a request says, it ends no process. */
interface Routes {
  answer(scheme: Scheme, request: IncomingMessage, response: ServerResponse): void
  /** Whether a tunnel is asked for to one of the hosts that lead to Postern, or to a name below one. */
  isOurs(request: IncomingMessage): boolean
  /** Leads a tunnel to another host. */
  toElsewhere(request: IncomingMessage, socket: Socket, head: Buffer): void
}

const withoutPort = (authority: string) => authority.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')

/** What a request to the host itself names: a path, or the whole server. */
const isPath = (target: string) => target.startsWith('/') || target === '*'

/** The whole URL that clients name to a proxy; a status and its reason when it is none that can be passed on. */
function wholeUrl(target: string): URL | { status: number; detail: string } {
  const url = URL.parse(target)
  if (!url) return { status: 400, detail: `${target} is no path and no URL.` }
  return /^https?:$/.test(url.protocol) ? url : { status: 501, detail: `${url.protocol} URLs are not passed on.` }
}

function createRoutes({ hosts, proxyBefore, admission }: RouteOptions): Routes {
  const names = Object.keys(hosts)
  const originOf = (host: string): string | undefined => (Object.hasOwn(hosts, host) ? hosts[host] : undefined)

  function answerWhole(request: IncomingMessage, response: ServerResponse, url: URL, isProxy: boolean): void {
    const host = withoutPort(url.host)
    const origin = originOf(host)
    const scheme = url.protocol === 'https:' ? 'https' : 'http'
    if (origin) return void forward(request, response, { origin, scheme, host, path: url.pathname + url.search })
    if (!isProxy || isAmong(names, host)) return void misdirected(response, host)
    const refusal = admission(request)
    if (refusal) return void refuse(response, refusal.status, refusal.detail, refusal.headers)
    passOn(request, response, url, proxyBefore)
  }

  /** A name below one of the hosts is led here too, so that no call reaches the real service. */
  function misdirected(response: ServerResponse, host: string): void {
    if (isAmong(names, host))
      return void refuse(response, 404, `Postern has nothing like ${host}, and lets no call through to it. It is ${names.join(', ')}.`)
    refuse(response, 421, `This is Postern, in place of ${names.join(', ')}; ${host || 'a request without Host'} is none of them.`)
  }

  function answer(scheme: Scheme, request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/'
    if (!isPath(path)) {
      const url = wholeUrl(path)
      if (url instanceof URL) return void answerWhole(request, response, url, scheme === 'http')
      return void refuse(response, url.status, url.detail)
    }
    const host = withoutPort(request.headers.host ?? '')
    const origin = originOf(host)
    if (origin) return void forward(request, response, { origin, scheme, host, path })
    if (scheme === 'http' && path === '/proxy.pac') return void proxyScript(request, response, names)
    misdirected(response, host)
  }

  return {
    answer(scheme, request, response) {
      try {
        answer(scheme, request, response)
      } catch (error) {
        refuse(response, 502, `The request cannot be passed on: ${(error as Error).message}`)
      }
    },
    isOurs: ({ url = '' }) => isAmong(names, withoutPort(url)),
    toElsewhere(request, socket, head) {
      socket.on('error', () => {})
      try {
        const refusal = admission(request)
        if (refusal) refuseTunnel(socket, refusal.status, refusal.detail, refusal.headers)
        else tunnel(request.url ?? '', socket, head, proxyBefore)
      } catch (error) {
        refuseTunnel(socket, 502, (error as Error).message)
      }
    },
  }
}

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
