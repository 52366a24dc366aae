import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHostCheck } from '../../src/development/hosts/host-names.ts'

const check = (
  host: string | undefined,
  { machineName, origins = ['http://127.0.0.1:4000'] }: { machineName?: string; origins?: string[] } = {},
) =>
  createHostCheck({ origins: () => origins, setting: 'POSTERN_BASE_URL', machineName })({
    method: 'GET',
    target: '/',
    query: '',
    pathParams: {},
    headers: { host },
    body: null,
    remoteAddress: '127.0.0.1',
  })

/** Names that a web page can be opened under. */
const foreign = [
  ...[
    'evil.example',
    'evil.example:4000',
    'EVIL.example',
    'evil.example.',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'notlocalhost',
  ],
  ...[
    '127-0-0-1.nip.io:4000',
    'api.x.com',
    '10.0.0.5:4000',
    '0.0.0.0:4000',
    '[fe80::1]:4000',
    '[::]:4000',
    'postern',
    '127.0.0.1@evil.example',
  ],
  ...[
    'evil.example/127.0.0.1',
    'localhost\\evil',
    'evil.example#localhost',
    'localhost evil.example',
    'localhost:99999',
    'localhost:x',
    '',
    ':4000',
  ],
]

/** Names that lead to this machine whoever asks. */
const ours = [
  ...[
    '127.0.0.1',
    '127.0.0.1:4000',
    '127.8.9.10:4000',
    'localhost',
    'localhost:4000',
    'LocalHost:4000',
    'localhost.:4000',
    'app.localhost:4000',
  ],
  ...['[::1]', '[::1]:4000', '[0:0:0:0:0:0:0:1]:4000', '127.0.0.1:8080', '2130706433:4000'],
]

for (const host of foreign) test(`the Host ${host} is refused`, () => assert.match(check(host) ?? '', /not a name of this server/))

for (const host of ours) test(`the Host ${host} is ours`, () => assert.equal(check(host), undefined))

test('a request without a Host is served: no browser sends one', () => assert.equal(check(undefined), undefined))

test('the configured origins are ours, and loopback still is', () => {
  const origins = ['https://api.x.com', 'http://api.twitter.com:4000']
  for (const host of ['api.x.com', 'API.x.com:443', 'api.twitter.com:4000', 'localhost:4000'])
    assert.equal(check(host, { origins }), undefined)
  for (const host of ['x.com', 'ads-api.x.com', 'api.x.com.evil.example']) assert.ok(check(host, { origins }), host)
})

test('beyond loopback the machine is called by its addresses, by its name, and by names without a dot, which no stranger can give', () => {
  for (const host of ['10.0.0.5:4000', '[fe80::1]:4000', '0.0.0.0:4000', 'postern:4000', 'Box.Office.Example:4000', 'localhost:4000'])
    assert.equal(check(host, { machineName: 'box.office.example' }), undefined, host)
  for (const host of ['evil.example:4000', 'office.example', 'box.office.example.evil.example', '10.0.0.5.nip.io'])
    assert.ok(check(host, { machineName: 'box.office.example' }), host)
})

test('the refusal says which setting to change, with the value to paste, and cuts a long name short', () => {
  assert.match(check('api.x.com')!, /set POSTERN_BASE_URL=http:\/\/127\.0\.0\.1:4000,http:\/\/api\.x\.com and restart/)
  const long = check(`${'a'.repeat(5000)}.example`)!
  assert.ok(long.length < 600, long)
})
