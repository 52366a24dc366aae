import { BlockList, isIP } from 'node:net'
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

const familyOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4')

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), familyOf(address))
  }
  return list
}

/** A peer on a socket for both families writes IPv4 as `::ffff:127.0.0.1`. */
const plainAddress = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '')

/** Some proxies write a port: `192.0.2.1:5678`, `[2001:db8::1]:5678`. */
const withoutPort = (hop: string) => hop.replace(/^\[(.+)\](:\d+)?$/, '$1').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')

const lastOf = (header: string | undefined) => header?.split(',').at(-1)?.trim() ?? ''

/** Reads what proxies say of a request, where they are trusted. */
export function createClientOriginOf({ trusted, origins }: ClientOriginOptions): ClientOriginOf {
  const proxies = listOf(trusted)
  const isTrusted = (address: string) => isIP(address) !== 0 && proxies.check(address, familyOf(address))

  /** The last address that no trusted proxy has; where all of them are trusted, the first. */
  const clientOf = (peer: string, forwardedFor: string) => {
    const hops = forwardedFor.split(',').map((hop) => plainAddress(withoutPort(hop.trim())))
    const client = hops.findLast((hop) => !isTrusted(hop)) ?? hops[0]!
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
    const scheme = lastOf(headerOf(request, 'x-forwarded-proto')).toLowerCase() === 'https' ? 'https' : 'http'
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
