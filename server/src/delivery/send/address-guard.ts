import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

/** Where a server of Postern's own listens; `0.0.0.0`, `::` and a name stand for every address of this machine. */
export interface Listener {
  address: string
  port: number
}

export interface AddressPolicy {
  /** Networks that callbacks may reach although they are not public. */
  allow: readonly Network[]
  ownListeners: () => readonly Listener[]
}

/** `restricted`: only the allow list lets it through, and it is not loopback. `refused` says why, after "which is". */
export type AddressVerdict = { ok: true; restricted: boolean } | { ok: false; refused: string }

/** Never reachable, whatever the allow list says. The first that contains an address names it. */
const NEVER: readonly [network: string, name: string][] = [
  ['169.254.169.254/32', 'a cloud metadata address'],
  ['168.63.129.16/32', 'a cloud metadata address'],
  ['100.100.100.200/32', 'a cloud metadata address'],
  ['192.0.0.192/32', 'a cloud metadata address'],
  ['fd00:ec2::/32', 'a cloud metadata address'],
  ['fd20:ce::254/128', 'a cloud metadata address'],
  ['fd00:c1::a9fe:a9fe/128', 'a cloud metadata address'],
  ['fd00:42::42/128', 'a cloud metadata address'],
  ['fd00:a9fe:a9fe::1/128', 'a cloud metadata address'],
  ['169.254.0.0/16', 'a link-local address'],
  ['fe80::/10', 'a link-local address'],
  ['0.0.0.0/8', 'the unspecified address'],
  ['::/128', 'the unspecified address'],
  ['64:ff9b:1::/48', 'a NAT64 address with a network-specific prefix'],
  ['224.0.0.0/4', 'a multicast address'],
  ['ff00::/8', 'a multicast address'],
  ['255.255.255.255/32', 'the broadcast address'],
]

/** Forms of IPv6 that carry an IPv4 address: in which bytes, and XORed with what (RFC 4291, 6145, 6052, 3056, 4380). */
const CARRIERS: readonly [network: string, bytes: readonly number[], mask: number][] = [
  ['::ffff:0:0/96', [12, 13, 14, 15], 0],
  ['::ffff:0:0:0/96', [12, 13, 14, 15], 0],
  ['64:ff9b::/96', [12, 13, 14, 15], 0],
  ['2002::/16', [2, 3, 4, 5], 0],
  ['2001::/32', [12, 13, 14, 15], 0xff],
  ['::/96', [12, 13, 14, 15], 0],
]

const RANGE_NAMES: Record<string, string> = {
  private: 'in a private network',
  uniqueLocal: 'in a private network',
  loopback: 'a loopback address',
  carrierGradeNat: 'in a carrier-grade NAT network',
  ipv4Mapped: 'an IPv4-mapped IPv6 address',
  rfc6145: 'an IPv4-translated IPv6 address',
  rfc6052: 'a NAT64 address',
  '6to4': 'a 6to4 address',
  teredo: 'a Teredo address',
}

/** All public IPv6 addresses lie in here; what is outside is special or not given out (IANA). */
const GLOBAL_UNICAST = '2000::/3'

const within = (address: Address, [network, bits]: Network): boolean =>
  address.kind() === network.kind() && address.match(network as ipaddr.IPv4, bits)

/** Short and octal spellings are no networks: `10/8` would be read as 0.0.0.10/8. */
const isNetwork = (cidr: string) => ipaddr.IPv4.isValidCIDRFourPartDecimal(cidr) || ipaddr.IPv6.isValidCIDR(cidr)

/** Reads an allow list. Throws on an entry that is not a network. */
export function readNetworks(cidrs: readonly string[]): Network[] {
  return cidrs.map((cidr) => {
    if (!isNetwork(cidr))
      throw new Error(`must be a comma-separated list of CIDR networks such as 10.0.0.0/8 or fd00::/8; "${cidr}" is not one`)
    return ipaddr.parseCIDR(cidr)
  })
}

/** The address itself and every IPv4 address it carries. */
function formsOf(address: Address, carriers: readonly Carrier[]): Address[] {
  if (address.kind() === 'ipv4' || address.range() === 'loopback') return [address]
  const bytes = address.toByteArray()
  const carried = carriers.filter(({ network }) => within(address, network))
  return [address, ...carried.map(({ positions, mask }) => new ipaddr.IPv4(positions.map((at) => bytes[at]! ^ mask)))]
}

interface Carrier {
  network: Network
  positions: readonly number[]
  mask: number
}

function isWhereWeListen(address: Address, port: number, listeners: readonly Listener[]): boolean {
  const onPort = listeners.filter((listener) => listener.port === port)
  if (onPort.length === 0) return false
  const text = address.toString()
  const isOurMachine = () =>
    address.range() === 'loopback' ||
    Object.values(networkInterfaces()).some((entries) => entries?.some((entry) => canonical(entry.address) === text))
  return onPort.some(({ address: at }) => canonical(at) === text || (isWildcard(at) && isOurMachine()))
}

const isWildcard = (address: string) => !ipaddr.isValid(address) || canonical(address) === '0.0.0.0' || canonical(address) === '::'

/** One spelling for each address; a mapped IPv4 address is written as IPv4. */
const canonical = (address: string) => (ipaddr.isValid(address) ? ipaddr.process(address).toString() : address)

const isPublic = (address: Address, globalUnicast: Network) =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || within(address, globalUnicast))

const nameOf = (address: Address) => RANGE_NAMES[address.range()] ?? 'not a public address'

/**
 * Judges addresses by allowing: what is not known to be public is refused, unless the allow list names its network. Of an
 * IPv6 form that carries an IPv4 address, both must be public or allowed. Metadata, link-local, unspecified and multicast
 * addresses and Postern's own listeners are refused in any case, also when an IPv6 form carries them.
 */
export function createAddressGuard({ allow, ownListeners }: AddressPolicy): (address: string, port: number) => AddressVerdict {
  const never = NEVER.map(([cidr, name]) => ({ network: ipaddr.parseCIDR(cidr), name }))
  const carriers = CARRIERS.map(([cidr, positions, mask]) => ({ network: ipaddr.parseCIDR(cidr), positions, mask }))
  const globalUnicast = ipaddr.parseCIDR(GLOBAL_UNICAST)

  return (text, port) => {
    if (text.includes('%') || !ipaddr.isValid(text)) return { ok: false, refused: 'not an address that can be checked' }
    const address = ipaddr.parse(text)
    const forms = formsOf(address, carriers)
    for (const form of forms) {
      const found = never.find(({ network }) => within(form, network))
      if (found) return { ok: false, refused: found.name }
      if (isWhereWeListen(form, port, ownListeners())) return { ok: false, refused: 'an address where Postern itself listens' }
    }
    const special = forms.filter((form) => !isPublic(form, globalUnicast))
    const barred = special.find((form) => !allow.some((network) => within(form, network)))
    if (barred) return { ok: false, refused: nameOf(barred) }
    return { ok: true, restricted: special.length > 0 && address.range() !== 'loopback' }
  }
}
