import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

const GROUP_BITS = 16

function ipv6Network(address: string, bits: number): string {
  const groups = ipaddr.IPv6.parse(address.split('%', 1)[0]!).parts.slice(0, bits / GROUP_BITS)
  return `${groups.map((group) => group.toString(16)).join(':')}::/${bits}`
}

/** The network by which calls of an address are limited: the IPv4 address itself, or the IPv6 /64, because one customer has at least that. */
export const clientNetworkOf = (address: string): string => (isIP(address) === 6 ? ipv6Network(address, 64) : address)

/** The IPv6 /48 of an address: one site can have all 65,536 /64 networks of it. Undefined for IPv4. */
export const siteOf = (address: string): string | undefined => (isIP(address) === 6 ? ipv6Network(address, 48) : undefined)
