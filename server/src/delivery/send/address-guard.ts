import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = [Address, number]

/** An address on which Postern itself listens. `0.0.0.0`, `::` and a host name mean every address of this machine. */
export interface Listener {
  address: string
  port: number
}

export interface AddressPolicy {
  /** Networks that callbacks may reach although they are not public. */
  allow: readonly Network[]
  ownListeners: () => readonly Listener[]
}

/** `restricted`: allowed only by the allow list, and not loopback. `refused`: the reason; follows "which is" in a sentence. */
export type AddressCheck = { ok: true; restricted: boolean } | { ok: false; refused: string }

/** Refused even if the allow list contains them. The first network that contains an address gives the reason. */
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

/** IPv6 networks whose addresses embed an IPv4 address: the bytes, and an XOR mask (RFC 4291, 6145, 6052, 3056, 4380). */
const EMBEDDINGS: readonly [network: string, bytes: readonly number[], mask: number][] = [
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

/** All public IPv6 addresses are in this network; others are special or unassigned (IANA). */
const GLOBAL_UNICAST = '2000::/3'

const within = (address: Address, [network, bits]: Network): boolean =>
  address.kind() === network.kind() && address.match(network as ipaddr.IPv4, bits)

/** Rejects short and octal notation: `10/8` would be parsed as 0.0.0.10/8. */
const isNetwork = (cidr: string) => ipaddr.IPv4.isValidCIDRFourPartDecimal(cidr) || ipaddr.IPv6.isValidCIDR(cidr)

/** Parses an allow list. Throws for an entry that is not a network. */
export function readNetworks(cidrs: readonly string[]): Network[] {
  return cidrs.map((cidr) => {
    if (!isNetwork(cidr))
      throw new Error(`must be a comma-separated list of CIDR networks such as 10.0.0.0/8 or fd00::/8; "${cidr}" is not one`)
    return ipaddr.parseCIDR(cidr)
  })
}

/** The address itself and every IPv4 address embedded in it. */
function formsOf(address: Address, embeddings: readonly Embedding[]): Address[] {
  if (address.kind() === 'ipv4' || address.range() === 'loopback') return [address]
  const bytes = address.toByteArray()
  const matching = embeddings.filter(({ network }) => within(address, network))
  return [address, ...matching.map(({ positions, mask }) => new ipaddr.IPv4(positions.map((at) => bytes[at]! ^ mask)))]
}

interface Embedding {
  network: Network
  positions: readonly number[]
  mask: number
}

function isOwnListener(address: Address, port: number, listeners: readonly Listener[]): boolean {
  const onPort = listeners.filter((listener) => listener.port === port)
  if (onPort.length === 0) return false
  const text = address.toString()
  const isOurMachine = () =>
    address.range() === 'loopback' ||
    Object.values(networkInterfaces()).some((entries) => entries?.some((entry) => canonical(entry.address) === text))
  return onPort.some(({ address: at }) => canonical(at) === text || (isWildcard(at) && isOurMachine()))
}

const isWildcard = (address: string) => !ipaddr.isValid(address) || canonical(address) === '0.0.0.0' || canonical(address) === '::'

/** The canonical notation of an address. An IPv4-mapped address becomes IPv4. */
const canonical = (address: string) => (ipaddr.isValid(address) ? ipaddr.process(address).toString() : address)

const isPublic = (address: Address, globalUnicast: Network) =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || within(address, globalUnicast))

const nameOf = (address: Address) => RANGE_NAMES[address.range()] ?? 'not a public address'

/**
 * Protects against SSRF: checks the address of a callback. An address that is not known to be public is refused, unless the allow list
 * contains its network. If an IPv6 address embeds an IPv4 address, both must be public or allowed. Metadata, link-local, unspecified and
 * multicast addresses and Postern's own listeners are always refused, also when embedded.
 */
export function createAddressGuard({ allow, ownListeners }: AddressPolicy): (address: string, port: number) => AddressCheck {
  const never = NEVER.map(([cidr, name]) => ({ network: ipaddr.parseCIDR(cidr), name }))
  const embeddings = EMBEDDINGS.map(([cidr, positions, mask]) => ({ network: ipaddr.parseCIDR(cidr), positions, mask }))
  const globalUnicast = ipaddr.parseCIDR(GLOBAL_UNICAST)

  return (text, port) => {
    if (text.includes('%') || !ipaddr.isValid(text)) return { ok: false, refused: 'not an address that can be checked' }
    const address = ipaddr.parse(text)
    const forms = formsOf(address, embeddings)
    for (const form of forms) {
      const found = never.find(({ network }) => within(form, network))
      if (found) return { ok: false, refused: found.name }
      if (isOwnListener(form, port, ownListeners())) return { ok: false, refused: 'an address where Postern itself listens' }
    }
    const special = forms.filter((form) => !isPublic(form, globalUnicast))
    const refused = special.find((form) => !allow.some((network) => within(form, network)))
    if (refused) return { ok: false, refused: nameOf(refused) }
    return { ok: true, restricted: special.length > 0 && address.range() !== 'loopback' }
  }
}
