import type { ProxyBefore } from '../front/elsewhere.ts'

type Environment = Record<string, string | undefined>

/** The proxy that the user's environment names for a host, so that a network which needs one goes on to work. Only proxies by HTTP. */
export function proxyBeforeOf(environment: Environment): ProxyBefore {
  const named = (name: string) => environment[name.toLowerCase()] || environment[name] || environment.all_proxy || environment.ALL_PROXY
  const not = (environment.no_proxy ?? environment.NO_PROXY ?? '').toLowerCase().split(/[\s,]+/)
  const isDirect = (host: string) =>
    ['localhost', '127.0.0.1', '[::1]'].includes(host) ||
    not.some((entry) => entry === '*' || (entry !== '' && (host === entry || host.endsWith(`.${entry.replace(/^\*?\./, '')}`))))
  return (host, scheme) => {
    const proxy = named(scheme === 'https' ? 'HTTPS_PROXY' : 'HTTP_PROXY')
    if (!proxy || isDirect(host.toLowerCase())) return undefined
    const url = URL.parse(proxy.includes('://') ? proxy : `http://${proxy}`)
    return url?.protocol === 'http:' ? url : undefined
  }
}
