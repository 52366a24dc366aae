import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { describe, test } from 'node:test'
import ipaddr from 'ipaddr.js'
import { createAddressGuard, type Listener, readNetworks } from '../../src/delivery/send/address-guard.ts'
import { createSender } from '../../src/delivery/send/sender.ts'
import { createClock } from '../../src/lib/clock.ts'
import { startNameServer } from '../stage/callback-servers.ts'

const guard = (allow: readonly string[] = [], listeners: readonly Listener[] = []) =>
  createAddressGuard({ allow: readNetworks(allow), ownListeners: () => listeners })

/** `::127.0.0.1` is read as `::ffff:127.0.0.1` where it is written with dots. */
const IPV4_COMPATIBLE = /not a public address|IPv4-mapped/

/** As a URL may spell the host; what it is; and whether an allow list of everything lets it through. */
const REFUSED: readonly [spelling: string, why: RegExp, canBeAllowed: boolean][] = [
  // IPv4, in the spellings that the URL standard reads
  ['127.0.0.1', /loopback/, true],
  ['127.1', /loopback/, true],
  ['127.0.1', /loopback/, true],
  ['2130706433', /loopback/, true],
  ['0x7f000001', /loopback/, true],
  ['0x7f.1', /loopback/, true],
  ['0x7f.0x0.0x0.0x1', /loopback/, true],
  ['0177.0.0.1', /loopback/, true],
  ['017700000001', /loopback/, true],
  ['0177.0x0.1', /loopback/, true],
  ['127.0.0.1.', /loopback/, true],
  ['127.255.255.254', /loopback/, true],
  ['%31%32%37.0.0.1', /loopback/, true],
  ['１２７.0.0.1', /loopback/, true],
  ['127。0。0。1', /loopback/, true],
  ['0', /unspecified/, false],
  ['0.0.0.0', /unspecified/, false],
  ['0x0', /unspecified/, false],
  ['0.0.0.1', /unspecified/, false],
  ['10.0.0.1', /private network/, true],
  ['10.255.255.255', /private network/, true],
  ['0xa000001', /private network/, true],
  ['012.1', /private network/, true],
  ['167772161', /private network/, true],
  ['172.16.0.1', /private network/, true],
  ['172.31.255.255', /private network/, true],
  ['192.168.0.1', /private network/, true],
  ['192.168.65535', /private network/, true],
  ['3232235521', /private network/, true],
  ['100.64.0.1', /carrier-grade NAT/, true],
  ['100.127.255.254', /carrier-grade NAT/, true],
  ['169.254.169.254', /metadata/, false],
  ['0xa9fea9fe', /metadata/, false],
  ['2852039166', /metadata/, false],
  ['0251.0376.0251.0376', /metadata/, false],
  ['169.254.43518', /metadata/, false],
  ['169.254.170.2', /link-local/, false],
  ['169.254.0.1', /link-local/, false],
  ['168.63.129.16', /metadata/, false],
  ['100.100.100.200', /metadata/, false],
  ['192.0.0.192', /metadata/, false],
  ['192.0.0.1', /not a public address/, true],
  ['192.0.2.1', /not a public address/, true],
  ['192.88.99.1', /not a public address/, true],
  ['192.31.196.1', /not a public address/, true],
  ['192.52.193.1', /not a public address/, true],
  ['198.18.0.1', /not a public address/, true],
  ['198.19.255.255', /not a public address/, true],
  ['198.51.100.1', /not a public address/, true],
  ['203.0.113.1', /not a public address/, true],
  ['224.0.0.1', /multicast/, false],
  ['239.255.255.250', /multicast/, false],
  ['240.0.0.1', /not a public address/, true],
  ['255.255.255.255', /broadcast/, false],
  // IPv6
  ['[::1]', /loopback/, true],
  ['[0:0:0:0:0:0:0:1]', /loopback/, true],
  ['[0000::0001]', /loopback/, true],
  ['[::]', /unspecified/, false],
  ['[fc00::1]', /private network/, true],
  ['[fd12:3456:789a::1]', /private network/, true],
  ['[fd00:ec2::254]', /metadata/, false],
  ['[FD00:0EC2::0254]', /metadata/, false],
  ['[fd20:ce::254]', /metadata/, false],
  ['[fd00:c1::a9fe:a9fe]', /metadata/, false],
  ['[fe80::1]', /link-local/, false],
  ['[febf::1]', /link-local/, false],
  ['[fe80::a9fe:a9fe]', /link-local/, false],
  ['[fec0::1]', /not a public address/, true],
  ['[ff02::1]', /multicast/, false],
  ['[2001:db8::1]', /not a public address/, true],
  ['[3fff::1]', /not a public address/, true],
  ['[100::1]', /not a public address/, true],
  ['[5f00::1]', /not a public address/, true],
  ['[4000::1]', /not a public address/, true],
  ['[8000::1]', /not a public address/, true],
  ['[2001:2::1]', /not a public address/, true],
  ['[2001:20::1]', /not a public address/, true],
  // IPv6 that carries IPv4
  ['[::ffff:127.0.0.1]', /IPv4-mapped/, true],
  ['[::ffff:7f00:1]', /IPv4-mapped/, true],
  ['[0:0:0:0:0:ffff:7f00:1]', /IPv4-mapped/, true],
  ['[::ffff:8.8.8.8]', /IPv4-mapped/, true],
  ['[::ffff:169.254.169.254]', /metadata/, false],
  ['[::ffff:a9fe:a9fe]', /metadata/, false],
  ['[::ffff:0.0.0.0]', /unspecified/, false],
  ['[::127.0.0.1]', IPV4_COMPATIBLE, true],
  ['[::7f00:1]', IPV4_COMPATIBLE, true],
  ['[::10.0.0.1]', IPV4_COMPATIBLE, true],
  ['[::169.254.169.254]', /metadata/, false],
  ['[::ffff:0:127.0.0.1]', /IPv4-translated/, true],
  ['[::ffff:0:169.254.169.254]', /metadata/, false],
  ['[64:ff9b::127.0.0.1]', /NAT64/, true],
  ['[64:ff9b::8.8.8.8]', /NAT64/, true],
  ['[64:ff9b::a9fe:a9fe]', /metadata/, false],
  ['[64:ff9b:1::10.0.0.1]', /NAT64/, false],
  ['[64:ff9b:1:a9fe:a9:fe00::]', /NAT64/, false],
  ['[2002:7f00:1::]', /6to4/, true],
  ['[2002:a9fe:a9fe::1]', /metadata/, false],
  ['[2001:0:4136:e378:8000:63bf:80ff:fffe]', /Teredo/, true],
  ['[2001:0:4136:e378:8000:63bf:5601:5601]', /metadata/, false],
]

/** In the one spelling that the URL standard gives it. */
const addressOf = (spelling: string) => new URL(`http://${spelling}/`).hostname.replace(/^\[|\]$/g, '')

const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '11.0.0.1',
  '168.63.129.17',
]
const PUBLIC_6 = ['2606:4700:4700::1111', '2a00:1450:4001::200e', '2001:4860:4860::8888', '2003::1', '2600::1']

describe('an address that is not public', () => {
  test('is refused in every spelling, and an allow list of everything lets only harmless kinds through', () => {
    const allowAll = guard(['0.0.0.0/0', '::/0'])
    for (const [spelling, why, canBeAllowed] of REFUSED) {
      const address = addressOf(spelling)
      const verdict = guard()(address, 443)
      assert.ok(!verdict.ok, `${spelling} (${address}) is let through`)
      assert.match(verdict.refused, why, spelling)
      const allowed = allowAll(address, 443)
      assert.equal(allowed.ok, canBeAllowed, `${spelling} with an allow list of everything`)
      if (allowed.ok) assert.equal(allowed.restricted, ipaddr.parse(address).range() !== 'loopback', spelling)
    }
  })

  test('is refused as the host of a URL, whether http or https', async () => {
    const sender = createSender({ clock: createClock(), allow: [], refuse: () => [] })
    for (const [spelling, why] of REFUSED) {
      for (const scheme of ['http', 'https']) {
        const outcome = await sender.send({ method: 'GET', url: `${scheme}://${spelling}/`, headers: [], timeoutMs: 5000 })
        assert.ok(outcome.kind === 'failed' && outcome.stage === 'address_not_allowed', `${spelling}: ${JSON.stringify(outcome)}`)
        assert.match(outcome.message, why)
        assert.equal(outcome.restricted, true)
      }
    }
    await sender.close()
  })

  test('is refused as what a name resolves to', async () => {
    const addresses = REFUSED.map(([spelling]) => addressOf(spelling))
    await using names = await startNameServer(Object.fromEntries(addresses.map((address, at) => [`host${at}.test`, [address]])))
    const sender = createSender({ clock: createClock(), allow: [], refuse: () => [], resolver: [names.address] })
    for (const [at, address] of addresses.entries()) {
      const outcome = await sender.send({ method: 'GET', url: `http://host${at}.test/`, headers: [], timeoutMs: 5000 })
      assert.ok(outcome.kind === 'failed' && outcome.stage === 'address_not_allowed', `${address}: ${JSON.stringify(outcome)}`)
      assert.match(outcome.message, new RegExp(`^host${at}\\.test resolves to `))
      assert.match(outcome.message, REFUSED[at]![1])
    }
    await sender.close()
  })
})

test('public addresses are let through, and nothing about them is hidden', () => {
  for (const address of [...PUBLIC, ...PUBLIC_6]) assert.deepEqual(guard()(address, 443), { ok: true, restricted: false }, address)
})

test('what is not an address, or has a zone, is refused', () => {
  for (const text of ['', 'localhost', 'fe80::1%eth0', '::1%lo', '2606:4700::1%1', '1.2.3.4.5', '1.2.3.4/8', '[::1]', '12345::']) {
    assert.equal(guard(['0.0.0.0/0', '::/0'])(text, 443).ok, false, text)
  }
})

test('the allow list lets through only the networks that it names', () => {
  const judge = guard(['10.1.0.0/16', 'fd12::/16', '127.0.0.0/8'])
  assert.deepEqual(judge('10.1.2.3', 443), { ok: true, restricted: true })
  assert.deepEqual(judge('fd12::1', 443), { ok: true, restricted: true })
  assert.deepEqual(judge('127.9.9.9', 443), { ok: true, restricted: false })
  for (const address of ['10.2.0.1', 'fd13::1', '::1', '::ffff:10.1.2.3', '192.168.0.1'])
    assert.equal(judge(address, 443).ok, false, address)
})

test('an allow list with an entry that is no network says so at the start', () => {
  assert.throws(() => readNetworks(['10.0.0.0/8', '10.0.0.0']), /"10\.0\.0\.0" is not a network; write it like 10\.0\.0\.0\/8/)
})

describe("Postern's own listeners", () => {
  const own = (address: string) => guard(['0.0.0.0/0', '::/0'], [{ address, port: 4000 }])
  const refused = (address: string, target: string, port = 4000) => own(address)(target, port).ok === false

  test('are refused at their port, whatever the allow list says', () => {
    assert.ok(refused('127.0.0.1', '127.0.0.1'))
    assert.ok(refused('::1', '::1'))
    assert.ok(refused('10.0.0.5', '10.0.0.5'))
    assert.ok(refused('::ffff:127.0.0.1', '127.0.0.1'))
  })

  test('are refused when an IPv6 form carries their address', () => {
    for (const target of ['::ffff:127.0.0.1', '::127.0.0.1', '64:ff9b::127.0.0.1', '2002:7f00:1::'])
      assert.ok(refused('127.0.0.1', target), target)
  })

  test('leave other ports and other addresses alone', () => {
    assert.ok(!refused('127.0.0.1', '127.0.0.1', 4001))
    assert.ok(!refused('127.0.0.1', '127.0.0.2'))
    assert.ok(!refused('0.0.0.0', '127.0.0.1', 4001))
    assert.ok(!refused('0.0.0.0', '10.99.99.99'))
  })

  test('on every address are refused on loopback and on each address of the machine', () => {
    const local = Object.values(networkInterfaces()).flatMap((entries) => entries!.map((entry) => entry.address))
    for (const wildcard of ['0.0.0.0', '::', '']) {
      for (const target of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', ...local]) assert.ok(refused(wildcard, target), target)
    }
  })
})
