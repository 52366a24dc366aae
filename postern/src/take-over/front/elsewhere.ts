import { type IncomingMessage, type ServerResponse, request as sendHttp } from 'node:http'
import { request as sendHttps } from 'node:https'
import { connect, type Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { refuse } from './forward.ts'

/** Where requests for other hosts go: to the proxy that the user had before, or straight there. */
export type ProxyBefore = (host: string, scheme: 'http' | 'https') => URL | undefined

const KEEP_ALIVE_MS = 60_000

/** The host and port of a proxy, and its credentials as a header. */
const proxyAddress = (proxy: URL) => ({ host: proxy.hostname, port: Number(proxy.port || 80) })

const proxyCredentials = ({ username, password }: URL): Record<string, string> =>
  username === ''
    ? {}
    : {
        'proxy-authorization': `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`,
      }

/** Joins two connections until both have ended. */
function join(client: Socket, there: Socket, first: Uint8Array): void {
  for (const socket of [client, there]) socket.setKeepAlive(true, KEEP_ALIVE_MS)
  there.write(first)
  pipeline(client, there, client, () => {})
}

/** Leads a tunnel (`CONNECT`) to its host. */
export function tunnel(request: IncomingMessage, client: Socket, head: Buffer, proxyBefore: ProxyBefore): void {
  const { hostname, port } = new URL(`http://${request.url}`)
  const proxy = proxyBefore(hostname, 'https')
  client.on('error', () => {})
  const failed = (error: Error) => client.end(`HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/plain\r\n\r\n${error.message}\n`)
  if (!proxy) {
    const there = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) })
    there.once('error', failed).once('connect', () => {
      there.off('error', failed)
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      join(client, there, head)
    })
    return
  }
  const options = {
    ...proxyAddress(proxy),
    method: 'CONNECT',
    path: request.url,
    headers: { host: request.url, ...proxyCredentials(proxy) },
  }
  sendHttp({ ...options, agent: false })
    .once('connect', ({ statusCode, statusMessage }, there: Socket, first: Buffer) => {
      client.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n\r\n`)
      client.write(first)
      join(client, there, head)
    })
    .once('error', failed)
    .end()
}

/** Passes on a request that names a whole URL of another host, as clients send them to proxies. */
export function passOn(request: IncomingMessage, response: ServerResponse, url: URL, proxyBefore: ProxyBefore): void {
  const { method, headers: sent } = request
  const { 'proxy-authorization': _, 'proxy-connection': __, ...headers } = sent
  const proxy = url.protocol === 'http:' ? proxyBefore(url.hostname, 'http') : undefined
  const onward = proxy
    ? sendHttp({ ...proxyAddress(proxy), method, path: url.href, headers: { ...headers, ...proxyCredentials(proxy) }, agent: false })
    : (url.protocol === 'https:' ? sendHttps : sendHttp)(url, { method, headers, agent: false })
  onward.once('response', (answer) => {
    response.writeHead(answer.statusCode!, answer.statusMessage, answer.rawHeaders)
    pipeline(answer, response, (error) => error && response.destroy())
  })
  onward.on('error', (error) => refuse(response, 502, `${url.host} cannot be reached: ${error.message}`))
  response.once('close', () => response.writableFinished || onward.destroy())
  request.pipe(onward)
}
