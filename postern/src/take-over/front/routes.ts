import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Admission } from './admission.ts'
import { type ProxyBefore, passOn, refuseTunnel, tunnel } from './elsewhere.ts'
import { forward, refuse } from './forward.ts'
import { proxyScript } from './proxy-script.ts'

export type Scheme = 'http' | 'https'

interface RouteOptions {
  hosts: Readonly<Record<string, string>>
  proxyBefore: ProxyBefore
  admission: Admission
}

/** Where the front sends what it is asked. Whatever a request says, it ends no process. */
export interface Routes {
  answer(scheme: Scheme, request: IncomingMessage, response: ServerResponse): void
  /** Whether a tunnel is asked for to one of the hosts that lead to Postern. */
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

export function createRoutes({ hosts, proxyBefore, admission }: RouteOptions): Routes {
  const originOf = (host: string): string | undefined => (Object.hasOwn(hosts, host) ? hosts[host] : undefined)

  function answerWhole(request: IncomingMessage, response: ServerResponse, url: URL, isProxy: boolean): void {
    const host = withoutPort(url.host)
    const origin = originOf(host)
    const scheme = url.protocol === 'https:' ? 'https' : 'http'
    if (origin) return void forward(request, response, { origin, scheme, host, path: url.pathname + url.search })
    if (!isProxy) return void misdirected(response, host)
    const refusal = admission(request)
    if (refusal) return void refuse(response, refusal.status, refusal.detail, refusal.headers)
    passOn(request, response, url, proxyBefore)
  }

  function misdirected(response: ServerResponse, host: string): void {
    const names = Object.keys(hosts)
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
    if (scheme === 'http' && path === '/proxy.pac') return void proxyScript(request, response, Object.keys(hosts))
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
    isOurs: ({ url = '' }) => originOf(withoutPort(url)) !== undefined,
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
