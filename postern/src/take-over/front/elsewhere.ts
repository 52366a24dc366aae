import { type IncomingMessage, type ServerResponse, STATUS_CODES, request as sendHttp } from 'node:http'
import { request as sendHttps } from 'node:https'
import { connect, type Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { answerWith, refuse } from './forward.ts'

/** Where requests for other hosts go: to the proxy that the user had before, or straight there. */
export type ProxyBefore = (host: string, scheme: 'http' | 'https') => URL | undefined

const KEEP_ALIVE_MS = 60_000
const LAST_PORT = 65_535

/** A name or an address, of which IPv6 is in brackets in URLs alone. */
const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '')

/** What a percent-encoded text says; the text itself where it is none. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The host and port of a proxy, and its credentials as a header. */
const proxyAddress = (proxy: URL) => ({ host: bare(proxy.hostname), port: Number(proxy.port || 80) })

const proxyCredentials = ({ username, password }: URL): Record<string, string> =>
  username === '' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')}` }

/** Joins two connections until both have ended. */
function join(client: Socket, there: Socket, first: Uint8Array): void {
  for (const socket of [client, there]) socket.setKeepAlive(true, KEEP_ALIVE_MS)
  there.write(first)
  pipeline(client, there, client, () => {})
}

/** The host and port that a tunnel is asked for; undefined when it names none. */
function authorityOf(text: string): { hostname: string; port: number } | undefined {
  const [, hostname = '', digits] = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  return port > 0 && port <= LAST_PORT && URL.parse(`http://${hostname}/`)?.pathname === '/' && !/[/?#@\\]/.test(hostname)
    ? { hostname, port }
    : undefined
}

/** Ends a connection that asked for a tunnel, with words in place of one. */
export function refuseTunnel(client: Socket, status: number, detail: string, headers: Readonly<Record<string, string>> = {}): void {
  const named = Object.entries({ 'content-type': 'text/plain', connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  client.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${named.join('')}\r\n${detail}\n`)
}

/** Leads a tunnel straight to its host. */
function tunnelStraight(client: Socket, head: Buffer, { hostname, port }: { hostname: string; port: number }): void {
  const failed = (error: Error) => refuseTunnel(client, 502, error.message)
  const there = connect({ host: bare(hostname), port })
  there.once('error', failed).once('connect', () => {
    there.off('error', failed)
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    join(client, there, head)
  })
}

/** Leads a tunnel to its host through another proxy. */
function tunnelThrough(client: Socket, head: Buffer, target: string, proxy: URL): void {
  const options = { ...proxyAddress(proxy), method: 'CONNECT', path: target, headers: { host: target, ...proxyCredentials(proxy) } }
  sendHttp({ ...options, agent: false })
    .once('connect', ({ statusCode, statusMessage }, there: Socket, first: Buffer) => {
      client.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n\r\n`)
      client.write(first)
      join(client, there, head)
    })
    .once('error', (error) => refuseTunnel(client, 502, error.message))
    .end()
}

/** Leads a tunnel (`CONNECT`) to its host. */
export function tunnel(target: string, client: Socket, head: Buffer, proxyBefore: ProxyBefore): void {
  const authority = authorityOf(target)
  if (!authority) return void refuseTunnel(client, 400, `CONNECT takes a host and its port, and got ${target}`)
  const proxy = proxyBefore(authority.hostname, 'https')
  if (proxy) tunnelThrough(client, head, target, proxy)
  else tunnelStraight(client, head, authority)
}

/** What stands between two hops only (RFC 9110, section 7.6.1): who asks for another protocol asks the next hop alone. */
const OF_HOP = /^(?:connection|keep-alive|proxy-.*|te|trailer|upgrade)$/

/** Passes on a request that names a whole URL of another host, as clients send them to proxies. */
export function passOn(request: IncomingMessage, response: ServerResponse, url: URL, proxyBefore: ProxyBefore): void {
  const { method } = request
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !OF_HOP.test(name)))
  const proxy = url.protocol === 'http:' ? proxyBefore(url.hostname, 'http') : undefined
  const onward = proxy
    ? sendHttp({ ...proxyAddress(proxy), method, path: url.href, headers: { ...headers, ...proxyCredentials(proxy) }, agent: false })
    : (url.protocol === 'https:' ? sendHttps : sendHttp)(url, { method, headers, agent: false })
  onward.once('response', (answer) => answerWith(response, answer, answer.rawHeaders))
  onward.on('error', (error) => refuse(response, 502, `${url.host} cannot be reached: ${error.message}`))
  response.once('close', () => response.writableFinished || onward.destroy())
  request.pipe(onward)
}
