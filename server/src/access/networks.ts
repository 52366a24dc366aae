import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

const GROUP_BITS = 16

function ipv6Network(address: string, bits: number): string {
  const groups = ipaddr.IPv6.parse(address.split('%', 1)[0]!).parts.slice(0, bits / GROUP_BITS)
  return `${groups.map((group) => group.toString(16)).join(':')}::/${bits}`
}

/** What calls from an address are counted by: an IPv4 address, or the IPv6 network of 64 bits that one customer has at least. */
export const customerOf = (address: string): string => (isIP(address) === 6 ? ipv6Network(address, 64) : address)

/** The IPv6 network of 48 bits, 65,536 customer networks of which one site can have. Undefined for IPv4. */
export const siteOf = (address: string): string | undefined => (isIP(address) === 6 ? ipv6Network(address, 48) : undefined)
