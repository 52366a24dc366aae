import ipaddr from 'ipaddr.js'

type Range = readonly [first: bigint, last: bigint]

const IPV6_BITS = 128n

/** Converts IPv4 to its IPv4-mapped IPv6 form, so that `::ffff:0:0/96` and `0.0.0.0/0` are the same range. */
const asIpv6 = ([address, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number]): [ipaddr.IPv6, number] =>
  address.kind() === 'ipv4' ? [(address as ipaddr.IPv4).toIPv4MappedAddress(), bits + 96] : [address as ipaddr.IPv6, bits]

function rangeOf(cidr: string): Range {
  const [address, bits] = asIpv6(ipaddr.parseCIDR(cidr))
  const size = 1n << (IPV6_BITS - BigInt(bits))
  const number = BigInt(`0x${Buffer.from(address.toByteArray()).toString('hex')}`)
  const first = number - (number % size)
  return [first, first + size - 1n]
}

/** True if the ranges together contain every address of one range. */
function coverRange(ranges: readonly Range[], [first, last]: Range): boolean {
  let next = first
  for (const [from, to] of ranges.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    if (from > next) return false
    if (to >= next) next = to + 1n
    if (next > last) return true
  }
  return false
}

/** The addresses that hosts can have, without loopback: of IPv4 all below multicast, of IPv6 global unicast. */
const FAMILIES: readonly (readonly Range[])[] = [
  [
    [rangeOf('1.0.0.0/32')[0], rangeOf('126.255.255.255/32')[1]],
    [rangeOf('128.0.0.0/32')[0], rangeOf('223.255.255.255/32')[1]],
  ],
  [rangeOf('2000::/3')],
]

/** True if the networks (CIDRs) together contain all IPv4 or all IPv6 addresses that hosts can have. */
export function coverAllAddresses(networks: readonly string[]): boolean {
  const ranges = networks.map(rangeOf)
  return FAMILIES.some((family) => family.every((range) => coverRange(ranges, range)))
}
