import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createClientOriginOf, namesOf } from '../../src/access/client-origin.ts'

const OURS = ['https://api.example', 'https://api.example:8443']

/** A client from a peer with headers, where 10.0.0.0/8 and fd00::/8 are trusted. */
function client(remoteAddress: string, headers: Record<string, string> = {}, origins: readonly string[] = OURS) {
  const originOf = createClientOriginOf({ trusted: ['10.0.0.0/8', 'fd00::/8'], origins: () => origins })
  return originOf({ method: 'GET', target: '/', query: '', pathParams: {}, headers, body: null, remoteAddress })
}

const forwarded = (scheme: string, host: string, address: string) => ({
  host: 'inside:3000',
  'x-forwarded-proto': scheme,
  'x-forwarded-host': host,
  'x-forwarded-for': address,
})

test('headers of a trusted proxy are used', () => {
  for (const peer of ['10.0.0.1', '10.255.255.255', 'fd00::1', '::ffff:10.0.0.1', '::FFFF:10.0.0.1'])
    assert.deepEqual(client(peer, forwarded('https', 'api.example', '203.0.113.9')), {
      scheme: 'https',
      address: '203.0.113.9',
      origins: OURS,
    })
})

test('headers of other senders are ignored', () => {
  for (const peer of ['203.0.113.1', '11.0.0.1', 'fe80::1', '2001:db8::1'])
    assert.deepEqual(client(peer, forwarded('https', 'evil.example', '10.0.0.1')), { scheme: 'http', address: peer, origins: OURS })
  assert.equal(client('::ffff:203.0.113.1', forwarded('https', 'api.example', '1.2.3.4')).address, '203.0.113.1')
  assert.deepEqual(client('', forwarded('https', 'api.example', '1.2.3.4')), { scheme: 'http', address: '', origins: OURS })
})

test('without trusted proxies all forwarded headers are ignored', () => {
  const originOf = createClientOriginOf({ trusted: [], origins: () => OURS })
  const request = { method: 'GET', target: '/', query: '', pathParams: {}, body: null, remoteAddress: '127.0.0.1' }
  assert.deepEqual(originOf({ ...request, headers: forwarded('https', 'api.example', '1.2.3.4') }), {
    scheme: 'http',
    address: '127.0.0.1',
    origins: OURS,
  })
})

test('the scheme is https only if the nearest proxy says so', () => {
  const schemeOf = (proto: string) => client('10.0.0.1', { 'x-forwarded-proto': proto }).scheme
  for (const proto of ['https', 'HTTPS', ' https ', 'http, https']) assert.equal(schemeOf(proto), 'https', proto)
  for (const proto of ['http', '', 'https, http', 'https,', 'ftp', 'https:', 'https://']) assert.equal(schemeOf(proto), 'http', proto)
  assert.equal(client('10.0.0.1').scheme, 'http')
})

test('the client address is the last one that is not a trusted proxy, whatever the client sent before it', () => {
  const addressOf = (hops: string) => client('10.0.0.1', { 'x-forwarded-for': hops }).address
  assert.equal(addressOf('203.0.113.9'), '203.0.113.9')
  assert.equal(addressOf('1.1.1.1, 203.0.113.9'), '203.0.113.9')
  assert.equal(addressOf('1.1.1.1,203.0.113.9 , 10.2.2.2,fd00::2'), '203.0.113.9')
  assert.equal(addressOf('127.0.0.1, garbage, 203.0.113.9, 10.2.2.2'), '203.0.113.9')
  assert.equal(addressOf('2001:db8::9'), '2001:db8::9')
  assert.equal(addressOf('::ffff:203.0.113.9, ::ffff:10.2.2.2'), '203.0.113.9')
})

test('if every hop is trusted, the client address is the first, so that clients in those networks are distinguished', () => {
  assert.equal(client('10.0.0.1', { 'x-forwarded-for': '10.7.7.7' }).address, '10.7.7.7')
  assert.equal(client('10.0.0.1', { 'x-forwarded-for': '10.7.7.7, 10.2.2.2' }).address, '10.7.7.7')
})

test('an invalid forwarded address leaves the peer address', () => {
  for (const hops of ['', ' ', ',', 'unknown', '1.1.1.1, unknown', '203.0.113.9:', '[2001:db8::9]:x', '1.1.1', '01.1.1.1'])
    assert.equal(client('10.0.0.1', { 'x-forwarded-for': hops }).address, '10.0.0.1', hops)
  assert.equal(client('10.0.0.1').address, '10.0.0.1')
})

test('an address with any zone is an address', () => {
  for (const address of ['fe80::1%eth0', 'fe80::1%eth0.100', 'fe80::1%br-lan']) {
    assert.equal(client(address).address, address)
    assert.equal(client('10.0.0.1', { 'x-forwarded-for': address }).address, address)
  }
})

test('an IPv6 address that ends like a trusted IPv4 address is not that address', () => {
  assert.equal(client('10.0.0.1', { 'x-forwarded-for': '203.0.113.9, ::10.2.2.2' }).address, '::10.2.2.2')
})

test('a port that a proxy appends is not part of the address', () => {
  for (const [hop, address] of [
    ['203.0.113.9:4711', '203.0.113.9'],
    ['[2001:db8::9]:443', '2001:db8::9'],
    ['[2001:db8::9]', '2001:db8::9'],
  ])
    assert.equal(client('10.0.0.1', { 'x-forwarded-for': hop! }).address, address)
})

test("a forwarded host changes the origin only if it is one of the listener's hosts with another scheme", () => {
  const originsOf = (headers: Record<string, string>) => client('10.0.0.1', headers).origins
  assert.deepEqual(originsOf(forwarded('https', 'api.example', '')), OURS)
  assert.deepEqual(originsOf(forwarded('https', 'API.Example:8443', '')), OURS)
  assert.deepEqual(originsOf(forwarded('http', 'API.Example', '')), [...OURS, 'http://api.example'])
  assert.deepEqual(originsOf(forwarded('http', 'evil.example, api.example', '')), [...OURS, 'http://api.example'])
  assert.deepEqual(originsOf({ host: 'api.example' }), [...OURS, 'http://api.example'])
})

test('a foreign forwarded host changes nothing', () => {
  const hosts = ['evil.example', 'api.example, evil.example', 'api.example.evil.example', 'x@api.example', 'api.example@evil.example']
  for (const host of [
    ...hosts,
    'api.example/',
    'api.example?',
    'api.example#',
    'api.example:443',
    'api.example:1',
    'api.example ,',
    '\0',
    '[',
    '%',
  ])
    assert.deepEqual(client('10.0.0.1', forwarded('https', host, '')).origins, OURS, host)
})

test("with any headers, the scheme is http or https, and origins are the listener's, possibly with another scheme", () => {
  const known = new Set([...OURS, 'http://api.example', 'http://api.example:8443'])
  const pieces = fc.oneof(
    fc.string(),
    fc.constantFrom('https', 'http', 'api.example', 'api.example:8443', '10.0.0.1', '::1', ',', '[::1]:1'),
  )
  const header = fc.array(pieces, { maxLength: 4 }).map((list) => list.join(', '))
  fc.assert(
    fc.property(
      fc.constantFrom('10.0.0.1', '1.1.1.1', 'fd00::1', 'fe80::1%eth0', 'nonsense'),
      header,
      header,
      header,
      (peer, proto, host, address) => {
        const { origins, scheme } = client(peer, forwarded(proto, host, address))
        assert.ok(origins.every((origin) => known.has(origin)) && (scheme === 'http' || scheme === 'https'))
      },
    ),
  )
})

test('a listener on loopback has all loopback names, its own first; other listeners have one', () => {
  const all = ['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000']
  for (const origin of all) {
    assert.equal(namesOf(origin)[0], origin)
    assert.deepEqual(namesOf(origin).toSorted(), all.toSorted())
  }
  assert.deepEqual(namesOf('http://localhost'), ['http://localhost', 'http://127.0.0.1', 'http://[::1]'])
  for (const origin of ['https://api.example', 'http://192.0.2.1:3000', 'http://localhost.example'])
    assert.deepEqual(namesOf(origin), [origin])
})
