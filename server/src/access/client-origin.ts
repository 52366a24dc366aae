import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import ipaddr from 'ipaddr.js'
import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'

/** How a request came to us from its client's side, as far as a trusted proxy vouches for it. */
export interface ClientOrigin {
  scheme: 'http' | 'https'
  /** The client's address. */
  address: string
  /** The origins that the client may have meant: the public ones of the listener, and the forwarded one. */
  origins: readonly string[]
}

export type ClientOriginOf = (request: RawRequest) => ClientOrigin

export interface ClientOriginOptions {
  /** Networks whose forwarded headers are believed, as CIDRs. */
  trusted: readonly string[]
  /** The public origins of the listener; the first is used in links. */
  origins: () => readonly string[]
}

/** `::127.0.0.1`: not an IPv4 address, though the parser takes it for one. */
const IPV4_COMPATIBLE = /^::\d+\./

const withoutZone = (address: string) => address.split('%', 1)[0]!

/** IPv4 is itself where a socket for both families writes `::ffff:127.0.0.1`. Undefined for what is no address, short and octal spellings among it. */
function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const plain = withoutZone(address)
  return isIP(plain) === 0 || IPV4_COMPATIBLE.test(plain) ? undefined : ipaddr.process(plain)
}

/** The address in its usual spelling. With a zone, and where it is none, it stays as it is. */
const plainAddress = (address: string) => (address.includes('%') ? undefined : parseAddress(address))?.toString() ?? address

/** Some proxies write a port: `192.0.2.1:5678`, `[2001:db8::1]:5678`. */
const withoutPort = (hop: string) => hop.replace(/^\[(.+)\](:\d+)?$/, '$1').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')

/** Whether an address lies in one of some networks. */
function memberOf(networks: readonly string[]): (address: string) => boolean {
  const ranges = networks.map((network) => ipaddr.parseCIDR(network))
  return (address) => {
    const parsed = parseAddress(address)
    return ranges.some(([network, bits]) => network.kind() === parsed?.kind() && parsed.match(network as ipaddr.IPv4, bits))
  }
}

const lastOf = (header: string | undefined) => header?.split(',').at(-1)?.trim() ?? ''

const saysHttps = (request: RawRequest) => lastOf(headerOf(request, 'x-forwarded-proto')).toLowerCase() === 'https'

/** Whether a trusted proxy says that it received a request over TLS; nothing else vouches for that. */
export function createIsHttps(trusted: readonly string[]): (request: RawRequest) => boolean {
  const isTrusted = memberOf(trusted)
  return (request) => saysHttps(request) && isTrusted(plainAddress(request.remoteAddress))
}

/** Reads what proxies say of a request, where they are trusted. */
export function createClientOriginOf({ trusted, origins }: ClientOriginOptions): ClientOriginOf {
  const isTrusted = memberOf(trusted)

  /** The last address that no trusted proxy has; where all of them are trusted, the first. */
  const clientOf = (peer: string, forwardedFor: string) => {
    const request = { headers: { 'x-forwarded-for': forwardedFor }, socket: { remoteAddress: peer } }
    const hops = proxyAddr.all(request as unknown as IncomingMessage, (hop) => isTrusted(plainAddress(withoutPort(hop))))
    const client = plainAddress(withoutPort(hops.at(-1) ?? ''))
    return isIP(client) === 0 ? peer : client
  }

  /** A forwarded host counts only when it is one of ours. */
  const withForwarded = (scheme: string, host: string): readonly string[] => {
    const ours = origins()
    const forwarded = `${scheme}://${host}`
    if (ours.includes(forwarded)) return ours
    if (!URL.canParse(forwarded) || !ours.some((origin) => new URL(origin).host === host.toLowerCase())) return ours
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

/** The origins of a listener for which none is configured: where it listens, under each of the names that a machine has for itself. */
export function namesOf(origin: string): readonly string[] {
  const { protocol, hostname, port } = new URL(origin)
  if (!LOOPBACK_NAMES.includes(hostname)) return [origin]
  return [origin, ...LOOPBACK_NAMES.map((name) => new URL(`${protocol}//${name}:${port}`).origin).filter((other) => other !== origin)]
}
