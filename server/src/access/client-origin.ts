import type { IncomingMessage } from 'node:http'
import { isIP, isIPv4 } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import ipaddr from 'ipaddr.js'
import { coded } from '../api/declare/problem.ts'
import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'

/** The client's view of a request: scheme, address and origins, from a trusted proxy's headers if there is one. */
export interface ClientOrigin {
  scheme: 'http' | 'https'
  /** The client's address. */
  address: string
  /** The origins that the client may have called: the public ones of the listener, and the forwarded one. */
  origins: readonly string[]
}

export type ClientOriginOf = (request: RawRequest) => ClientOrigin

interface ClientOriginOptions {
  /** Networks whose X-Forwarded-* headers are trusted, as CIDRs. */
  trusted: readonly string[]
  /** The public origins of the listener; the first is used in links. */
  origins: () => readonly string[]
  /** Origins that the listener has too, for requests which a trusted proxy forwards from there. */
  forwardedToo?: readonly string[]
}

/** `::127.0.0.1` is not an IPv4 address, although the parser accepts it as one. */
const IPV4_COMPATIBLE = /^::\d+\./

const withoutZone = (address: string) => address.split('%', 1)[0]!

/** Parses an address; an IPv4-mapped one (`::ffff:127.0.0.1`) becomes IPv4. Undefined if it is none, also in short or octal notation. */
function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const plain = withoutZone(address)
  return isIP(plain) === 0 || IPV4_COMPATIBLE.test(plain) ? undefined : ipaddr.process(plain)
}

/** The address in canonical notation. A text with a zone, or that is not an address, is unchanged. */
const plainAddress = (address: string) => {
  if (isIPv4(address) || address.includes('%')) return address
  return parseAddress(address)?.toString() ?? address
}

/** Some proxies append a port: `192.0.2.1:5678`, `[2001:db8::1]:5678`. */
const withoutPort = (hop: string) => hop.replace(/^\[(.+)\](:\d+)?$/, '$1').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')

/** Returns a function that tells whether an address is in one of these networks. It remembers the last address: most requests come by one proxy. */
function memberOf(networks: readonly string[]): (address: string) => boolean {
  if (networks.length === 0) return () => false
  const ranges = networks.map((network) => ipaddr.parseCIDR(network))
  const judge = (address: string) => {
    const parsed = parseAddress(address)
    return ranges.some(([network, bits]) => network.kind() === parsed?.kind() && parsed.match(network as ipaddr.IPv4, bits))
  }
  let last = { address: '', isMember: false }
  return (address) => {
    if (address !== last.address) last = { address, isMember: judge(address) }
    return last.isMember
  }
}

const lastOf = (header: string | undefined) => header?.split(',').at(-1)?.trim() ?? ''

const saysHttps = (request: RawRequest) => lastOf(headerOf(request, 'x-forwarded-proto')).toLowerCase() === 'https'

/** Whether a trusted proxy says that it received a request over TLS; nothing else vouches for that. */
function createIsHttps(trusted: readonly string[]): (request: RawRequest) => boolean {
  const isTrusted = memberOf(trusted)
  return (request) => saysHttps(request) && isTrusted(plainAddress(request.remoteAddress))
}

/** The name of the host that a client called, without a port: from a trusted proxy's header, else from the Host header. */
export function createCalledName(trusted: readonly string[]): (request: RawRequest) => string | undefined {
  const isTrusted = memberOf(trusted)
  return (request) => {
    const forwarded = lastOf(headerOf(request, 'x-forwarded-host'))
    const isForwarded = forwarded !== '' && isTrusted(plainAddress(request.remoteAddress))
    return URL.parse(`http://${isForwarded ? forwarded : headerOf(request, 'host')}`)?.hostname
  }
}

/** Reads the X-Forwarded-* headers of trusted proxies. */
export function createClientOriginOf({ trusted, origins, forwardedToo = [] }: ClientOriginOptions): ClientOriginOf {
  const isTrusted = memberOf(trusted)

  /** The last address that is not a trusted proxy; if all are, the first. */
  const clientOf = (peer: string, forwardedFor: string) => {
    const request = { headers: { 'x-forwarded-for': forwardedFor }, socket: { remoteAddress: peer } }
    const hops = proxyAddr.all(request as unknown as IncomingMessage, (hop) => isTrusted(plainAddress(withoutPort(hop))))
    const client = plainAddress(withoutPort(hops.at(-1) ?? ''))
    return isIP(client) === 0 ? peer : client
  }

  /** A forwarded host is accepted only if it is one of the listener's. */
  const withForwarded = (scheme: string, host: string): readonly string[] => {
    const ours = origins()
    const forwarded = `${scheme}://${host}`
    if (ours.includes(forwarded)) return ours
    if (!URL.canParse(forwarded) || ![...ours, ...forwardedToo].some((origin) => new URL(origin).host === host.toLowerCase())) return ours
    const { origin } = new URL(forwarded)
    return ours.includes(origin) ? ours : [...ours, origin]
  }

  return (request) => {
    const peer = plainAddress(request.remoteAddress)
    if (!isTrusted(peer)) return { scheme: 'http', address: peer, origins: origins() }
    const scheme = saysHttps(request) ? 'https' : 'http'
    const host = lastOf(headerOf(request, 'x-forwarded-host')) || (headerOf(request, 'host') ?? '')
    return {
      scheme,
      address: clientOf(peer, headerOf(request, 'x-forwarded-for') ?? ''),
      origins: withForwarded(scheme, host),
    }
  }
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]']

/** The origins of a listener without a configured origin: its address and all loopback names. */
export function namesOf(origin: string): readonly string[] {
  const { protocol, hostname, port } = new URL(origin)
  if (!LOOPBACK_NAMES.includes(hostname)) return [origin]
  return [origin, ...LOOPBACK_NAMES.map((name) => new URL(`${protocol}//${name}:${port}`).origin).filter((other) => other !== origin)]
}

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1)$/

/** Whether a client may see explanations: one on this machine. They say more than answers do, and development may be open to a network. */
export const isShownTo = ({ address }: Pick<ClientOrigin, 'address'>): boolean => LOOPBACK.test(address)

/** The hosts whose clients sign for their origins. */
export type PublicHost = 'general' | 'advertising' | 'sandbox'

/** Refuses what a client sent unencrypted, whatever its credentials (§4.3): 403 code 92. `trusted`: networks of proxies, as CIDRs. */
export function createHttpsCheck(trusted: readonly string[]): (request: RawRequest) => void {
  const isHttps = createIsHttps(trusted)
  return (request) => {
    if (!isHttps(request)) throw coded(92)
  }
}

/** Whether an origin is that of the page which this server serves under the name that was called. */
export const isOwnOrigin = (origin: string, request: RawRequest, { origins }: Pick<ClientOrigin, 'origins'>): boolean =>
  origins.includes(origin) || URL.parse(origin)?.host === headerOf(request, 'host')?.toLowerCase()

/** Whether the browser says that a page of another origin sends a form. A page with the policy `no-referrer`, as ours, says `null`. */
export function isForeignForm(request: RawRequest, client: ClientOrigin): boolean {
  const [site, origin] = [headerOf(request, 'sec-fetch-site'), headerOf(request, 'origin')]
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  return origin !== undefined && origin !== 'null' && !isOwnOrigin(origin, request, client)
}
