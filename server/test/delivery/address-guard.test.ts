import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { describe, test } from 'node:test'
import ipaddr from 'ipaddr.js'
import { createAddressGuard, type Listener, readNetworks } from '../../src/delivery/send/address-guard.ts'
import { createSender } from '../../src/delivery/send/sender.ts'
import { createClock } from '../../src/lib/clock.ts'
import { readSettings } from '../../src/settings/settings.ts'
import { startNameServer } from '../stage/callback-servers.ts'
import { addressOf, refusedHosts } from './refused-hosts.ts'

const guard = (allow: readonly string[] = [], listeners: readonly Listener[] = []) =>
  createAddressGuard({ allow: readNetworks(allow), ownListeners: () => listeners })

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
  test('is refused in every notation, and an allow list of everything allows only harmless ranges', () => {
    const allowAll = guard(['0.0.0.0/0', '::/0'])
    for (const [spelling, why, canBeAllowed] of refusedHosts) {
      const address = addressOf(spelling)
      const verdict = guard()(address, 443)
      assert.ok(!verdict.ok, `${spelling} (${address}) is let through`)
      assert.match(verdict.refused, why, spelling)
      const allowed = allowAll(address, 443)
      assert.equal(allowed.ok, canBeAllowed, `${spelling} with an allow list of everything`)
      if (allowed.ok) assert.equal(allowed.restricted, ipaddr.parse(address).range() !== 'loopback', spelling)
    }
  })

  test('is refused as the host of a URL, with http and https', async () => {
    const sender = createSender({ clock: createClock(), allow: [], refuse: () => [] })
    for (const [spelling, why] of refusedHosts) {
      for (const scheme of ['http', 'https']) {
        const outcome = await sender.send({ method: 'GET', to: `${scheme}://${spelling}/`, headers: [], timeoutMs: 5000 })
        assert.ok(outcome.kind === 'failed' && outcome.stage === 'address_not_allowed', `${spelling}: ${JSON.stringify(outcome)}`)
        assert.match(outcome.message, why)
        assert.equal(outcome.restricted, true)
      }
    }
    await sender.close()
  })

  test('is refused as the result of a name', async () => {
    const addresses = refusedHosts.map(([spelling]) => addressOf(spelling))
    await using names = await startNameServer(Object.fromEntries(addresses.map((address, at) => [`host${at}.test`, [address]])))
    const sender = createSender({ clock: createClock(), allow: [], refuse: () => [], resolver: [names.address] })
    for (const [at, address] of addresses.entries()) {
      const outcome = await sender.send({ method: 'GET', to: `http://host${at}.test/`, headers: [], timeoutMs: 5000 })
      assert.ok(outcome.kind === 'failed' && outcome.stage === 'address_not_allowed', `${address}: ${JSON.stringify(outcome)}`)
      assert.match(outcome.message, new RegExp(`^host${at}\\.test resolves to `))
      assert.match(outcome.message, refusedHosts[at]![1])
    }
    await sender.close()
  })
})

/** The special-purpose registries of IANA (RFC 6890 and later), with multicast and what RFC 4291 and 3879 set aside. */
const SPECIAL = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24'],
  ...['192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4', '255.255.255.255/32'],
  ...['::/128', '::1/128', '::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '100:0:0:1::/64'],
  ...['2001::/23', '2001::/32', '2001:1::1/128', '2001:1::2/128', '2001:1::3/128', '2001:2::/48', '2001:3::/32', '2001:4:112::/48'],
  ...['2001:10::/28', '2001:20::/28', '2001:30::/28', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20', '5f00::/16'],
  ...['fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
]

/** The first and the last address of a network. */
function endsOf(cidr: string): [string, string] {
  const [network, bits] = ipaddr.parseCIDR(cidr)
  const bytes = network.toByteArray()
  const last = bytes.map((byte, at) => byte | (0xff >> Math.min(8, Math.max(0, bits - at * 8))))
  return [ipaddr.fromByteArray(bytes).toString(), ipaddr.fromByteArray(last).toString()]
}

test('no network of the special-purpose registries is public, from its first to its last address', () => {
  for (const cidr of SPECIAL) for (const address of endsOf(cidr)) assert.equal(guard()(address, 443).ok, false, `${address} of ${cidr}`)
})

test('public addresses are allowed, and their failures are not hidden', () => {
  for (const address of [...PUBLIC, ...PUBLIC_6]) assert.deepEqual(guard()(address, 443), { ok: true, restricted: false }, address)
})

test('an invalid address, or one with a zone, is refused', () => {
  for (const text of ['', 'localhost', 'fe80::1%eth0', '::1%lo', '2606:4700::1%1', '1.2.3.4.5', '1.2.3.4/8', '[::1]', '12345::']) {
    assert.equal(guard(['0.0.0.0/0', '::/0'])(text, 443).ok, false, text)
  }
})

test('the allow list allows only the networks that it contains', () => {
  const judge = guard(['10.1.0.0/16', 'fd12::/16', '127.0.0.0/8'])
  assert.deepEqual(judge('10.1.2.3', 443), { ok: true, restricted: true })
  assert.deepEqual(judge('fd12::1', 443), { ok: true, restricted: true })
  assert.deepEqual(judge('127.9.9.9', 443), { ok: true, restricted: false })
  for (const address of ['10.2.0.1', 'fd13::1', '::1', '192.168.0.1']) assert.equal(judge(address, 443).ok, false, address)
})

test('an IPv6 address that embeds an IPv4 address is allowed only if both are public or allowed', () => {
  const forms = (address: string) => {
    const [high, low] = [0, 2].map((at) => Buffer.from(address.split('.').map(Number)).readUInt16BE(at).toString(16))
    return [`::ffff:${high}:${low}`, `64:ff9b::${high}:${low}`, `2002:${high}:${low}::1`, `::ffff:0:${high}:${low}`, `::${high}:${low}`]
  }
  const carriers = ['::ffff:0:0/96', '64:ff9b::/96', '2002::/16', '::ffff:0:0:0/96', '::/96']
  const judges = {
    neither: guard(),
    inner: guard(['10.1.0.0/16']),
    outer: guard(carriers),
    both: guard(['10.1.0.0/16', ...carriers]),
  }
  for (const form of forms('10.1.2.3')) {
    for (const name of ['neither', 'inner', 'outer'] as const) assert.equal(judges[name](form, 443).ok, false, `${name} ${form}`)
    assert.deepEqual(judges.both(form, 443), { ok: true, restricted: true }, form)
  }
  for (const form of forms('10.2.2.3')) assert.deepEqual(judges.both(form, 443), { ok: false, refused: 'in a private network' }, form)
  for (const form of forms('8.8.8.8')) {
    assert.equal(judges.inner(form, 443).ok, false, form)
    assert.deepEqual(judges.outer(form, 443), { ok: true, restricted: true }, form)
  }
  for (const form of forms('169.254.169.254')) assert.equal(guard(['0.0.0.0/0', '::/0'])(form, 443).ok, false, form)
})

test('an invalid or ambiguous entry in an allow list is an error at the start', () => {
  for (const entry of ['10.0.0.0', '10/8', '010.0.0.0/8', '0xa.0.0.0/8', '10.0.0.0/33', '10.0.0.0/-1', '::/129', 'localhost/8', '/8', '']) {
    const expected = { message: `must be a comma-separated list of CIDR networks such as 10.0.0.0/8 or fd00::/8; "${entry}" is not one` }
    assert.throws(() => readNetworks(['10.0.0.0/8', entry]), expected)
  }
})

test('settings with invalid networks or name servers are errors at the start, each with its name', () => {
  for (const resolver of ['localhost', '127.0.0.1:99999', '10.0.0.1/8', 'dns.example:53']) {
    assert.throws(() => readSettings({ POSTERN_CALLBACK_ALLOW: '127.0.0.0/8,10/8', POSTERN_CALLBACK_RESOLVER: resolver }), {
      mistakes: [
        'POSTERN_CALLBACK_ALLOW must be a comma-separated list of CIDR networks such as 10.0.0.0/8 or fd00::/8; "10/8" is not one',
        `POSTERN_CALLBACK_RESOLVER must be a comma-separated list of addresses such as 10.0.0.53, 127.0.0.1:5353 or [fd00::53]:53, not "${resolver}"`,
      ],
    })
  }
  const resolvers = ['10.0.0.53', '127.0.0.1:5353', '[fd00::53]:53', 'fd00::53']
  assert.deepEqual(readSettings({ POSTERN_CALLBACK_RESOLVER: resolvers.join(', ') }).callbackResolvers, resolvers)
})

describe("Postern's own listeners", () => {
  const own = (address: string) => guard(['0.0.0.0/0', '::/0'], [{ address, port: 4000 }])
  const refused = (address: string, target: string, port = 4000) => own(address)(target, port).ok === false

  test('are refused at their port, even if the allow list contains them', () => {
    assert.ok(refused('127.0.0.1', '127.0.0.1'))
    assert.ok(refused('::1', '::1'))
    assert.ok(refused('10.0.0.5', '10.0.0.5'))
    assert.ok(refused('::ffff:127.0.0.1', '127.0.0.1'))
  })

  test('are refused if an IPv6 address embeds their address', () => {
    for (const target of ['::ffff:127.0.0.1', '::127.0.0.1', '64:ff9b::127.0.0.1', '2002:7f00:1::'])
      assert.ok(refused('127.0.0.1', target), target)
  })

  test('do not affect other ports and other addresses', () => {
    assert.ok(!refused('127.0.0.1', '127.0.0.1', 4001))
    assert.ok(!refused('127.0.0.1', '127.0.0.2'))
    assert.ok(!refused('0.0.0.0', '127.0.0.1', 4001))
    assert.ok(!refused('0.0.0.0', '10.99.99.99'))
  })

  test('on every address, or on a name, are refused on loopback and on each address of the machine', () => {
    const local = Object.values(networkInterfaces()).flatMap((entries) => entries!.map((entry) => entry.address))
    for (const wildcard of ['0.0.0.0', '::', '', 'localhost', 'this-machine.example']) {
      for (const target of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', ...local]) assert.ok(refused(wildcard, target), target)
    }
  })
})
