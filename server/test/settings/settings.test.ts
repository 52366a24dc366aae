import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { warnings } from '../../src/settings/setting-conflicts.ts'
import { readSettings, SettingsError } from '../../src/settings/settings.ts'

const SECRET = 'a-sealing-secret-of-the-tests-0123456789'
const production = {
  POSTERN_PROFILE: 'production',
  POSTERN_SECRET: SECRET,
  POSTERN_OPERATOR_PORT: '4003',
  POSTERN_BASE_URL: 'https://api.example.com',
  POSTERN_ADS_BASE_URL: 'https://ads-api.example.com',
  POSTERN_ADS_SANDBOX_BASE_URL: 'https://ads-api-sandbox.example.com',
}
const proxied = { ...production, POSTERN_TRUST_PROXY: '10.0.0.0/8', POSTERN_OPERATOR_TOKEN: 'an-operator-token-of-more-than-32-characters' }

function refusalOf(environment: Record<string, string>): string {
  try {
    readSettings(environment)
  } catch (error) {
    assert.ok(error instanceof SettingsError)
    return error.message
  }
  return assert.fail('the settings were accepted')
}

/** Lists of networks that add up to everything. */
const everything = [
  '0.0.0.0/1,128.0.0.0/1',
  '10.0.0.0/8,128.0.0.0/1,0.0.0.0/1',
  '0.0.0.0/2,64.0.0.0/2,128.0.0.0/2,192.0.0.0/2',
  '1.0.0.0/8,2.0.0.0/7,4.0.0.0/6,8.0.0.0/5,16.0.0.0/4,32.0.0.0/3,64.0.0.0/2,128.0.0.0/2,192.0.0.0/3',
  '::/0',
  '::/1,8000::/1',
  '2000::/3',
  '2000::/4,3000::/4',
  '::ffff:0:0/96',
  '::ffff:0.0.0.0/97,::ffff:128.0.0.0/97',
  '0.0.0.0/1,::ffff:128.0.0.0/97',
]

/** What stands in templates, as long as a secret must be. */
const placeholders = [
  'x'.repeat(32),
  'changeme'.repeat(4),
  'changeme-changeme-changeme-changeme!',
  'please-change-this-secret-to-something-CHANGE-ME',
  'your-operator-token-of-at-least-32-characters-goes-here',
  '01234567890123456789012345678901',
  'abcdabcdabcdabcdabcdabcdabcdabcdab',
  '<at least 32 random characters here>',
]

const unsafe: [name: string, environment: Record<string, string>, says: RegExp][] = [
  ['no sealing secret', { POSTERN_SECRET: '' }, /POSTERN_SECRET is required in production: set it/],
  ['a list of no sealing secrets', { POSTERN_SECRET: ' , ' }, /POSTERN_SECRET must contain a secret/],
  ['one short secret in a list', { POSTERN_SECRET: `${SECRET},short` }, /POSTERN_SECRET must have at least 32 characters/],
  ['a short operator token', { POSTERN_OPERATOR_TOKEN: 'short' }, /POSTERN_OPERATOR_TOKEN must have at least 32/],
  ['no operator port', { POSTERN_OPERATOR_PORT: '' }, /POSTERN_OPERATOR_PORT is required in production: set it/],
  ['the operator on the general port', { POSTERN_OPERATOR_PORT: '4000' }, /POSTERN_PORT and POSTERN_OPERATOR_PORT are both 4000: give/],
  ['two hosts on one port', { POSTERN_ADS_PORT: '4002' }, /POSTERN_ADS_PORT and POSTERN_ADS_SANDBOX_PORT are both 4002/],
  ['a database in memory', { POSTERN_DATABASE_URL: 'sqlite::memory:' }, /loses all events when the process exits: set it to sqlite:<file>/],
  [
    'callbacks to every network',
    { POSTERN_CALLBACK_ALLOW: '10.0.0.0/8,0.0.0.0/0' },
    /POSTERN_CALLBACK_ALLOW holds 0\.0\.0\.0\/0.*set it to/,
  ],
  ['callbacks to every IPv6 network', { POSTERN_CALLBACK_ALLOW: '::/0' }, /POSTERN_CALLBACK_ALLOW holds ::\/0/],
  ['every proxy trusted', { POSTERN_TRUST_PROXY: '0.0.0.0/0' }, /POSTERN_TRUST_PROXY holds 0\.0\.0\.0\/0.*set it to/],
  ...everything.flatMap((list): (typeof unsafe)[number][] => [
    [`callbacks to ${list}`, { POSTERN_CALLBACK_ALLOW: list }, /POSTERN_CALLBACK_ALLOW holds .*your whole network: set it to/],
    [`proxies anywhere in ${list}`, { POSTERN_TRUST_PROXY: list }, /POSTERN_TRUST_PROXY holds .*any address: set it to/],
  ]),
  ...placeholders.flatMap((text): (typeof unsafe)[number][] => [
    [`the sealing secret ${text}`, { POSTERN_SECRET: text }, /POSTERN_SECRET holds a placeholder.*generate one/],
    [`a list with the sealing secret ${text}`, { POSTERN_SECRET: `${SECRET},${text}` }, /POSTERN_SECRET holds a placeholder/],
    [`the named operator token ${text}`, { POSTERN_OPERATOR_TOKENS: `ci:read:${text}` }, /POSTERN_OPERATOR_TOKENS holds a placeholder/],
    [`the operator token ${text}`, { POSTERN_OPERATOR_TOKEN: text }, /POSTERN_OPERATOR_TOKEN holds a placeholder.*generate one/],
  ]),
  ...(['POSTERN_BASE_URL', 'POSTERN_ADS_BASE_URL', 'POSTERN_ADS_SANDBOX_BASE_URL'] as const).flatMap((name): (typeof unsafe)[number][] => [
    [`no ${name}`, { [name]: '' }, new RegExp(`${name} is required in production: set it to the https origin .* such as https://`)],
    ...['https://0.0.0.0', 'https://[::]:8443', 'http://0.0.0.0:4000', 'https://0', 'https://[::ffff:0.0.0.0]'].map(
      (origin): (typeof unsafe)[number] => [
        `${origin} as ${name}`,
        { [name]: `https://api.example.com,${origin}` },
        new RegExp(`${name} names http.*, which no client can call: set it to the https origin .* such as https://`),
      ],
    ),
    ...['http://127.0.0.1:4000', 'http://localhost', 'http://[::1]:4000'].map((origin): (typeof unsafe)[number] => [
      `${origin} as ${name}`,
      { [name]: origin },
      new RegExp(`${name} names http://.*: in production tokens must not be sent unencrypted; set it to the https origin`),
    ]),
  ]),
  [
    'a network that is none',
    { POSTERN_CALLBACK_ALLOW: '10.0.0.0' },
    /POSTERN_CALLBACK_ALLOW must be a comma-separated list of CIDR networks.*"10\.0\.0\.0" is not one/,
  ],
  [
    'a public origin in the clear',
    { POSTERN_BASE_URL: 'http://api.example.com' },
    /POSTERN_BASE_URL names http:\/\/api\.example\.com: .*https/,
  ],
  ['an ads origin in the clear', { POSTERN_ADS_BASE_URL: 'https://a.example,http://b.example' }, /POSTERN_ADS_BASE_URL names http:\/\/b/],
  ['media in the clear', { POSTERN_MEDIA_BASE_URL: 'http://media.example.com' }, /POSTERN_MEDIA_BASE_URL names http:\/\/media/],
  [
    'media on the name of another host',
    { POSTERN_MEDIA_BASE_URL: 'https://ads-api.example.com:8443' },
    /POSTERN_MEDIA_BASE_URL names the host of https:\/\/ads-api\.example\.com: give media a name of their own/,
  ],
  ['two origins of media', { POSTERN_MEDIA_BASE_URL: 'https://a.example,https://b.example' }, /POSTERN_MEDIA_BASE_URL must be one origin/],
  ['a store of media that is none', { POSTERN_MEDIA_STORE: 'https://bucket' }, /POSTERN_MEDIA_STORE must be a folder, or s3:\/\/bucket/],
  ['a bucket without a name', { POSTERN_MEDIA_STORE: 's3://' }, /POSTERN_MEDIA_STORE must .*like s3:\/\/bucket\/prefix\?endpoint=/],
  ['a decoder of any path', { POSTERN_FFMPEG: 'ffmpeg' }, /POSTERN_FFMPEG must be a path from the root, such as \/usr\/bin\/ffmpeg/],
  ['a decoder that does not exist', { POSTERN_FFMPEG: '/no/such/program' }, /POSTERN_FFMPEG names .*, which cannot be run: ENOENT/],
  ['a retention below the replay window', { POSTERN_RETENTION: '23h' }, /POSTERN_RETENTION must be at least 1d/],
  ['a deadline of nothing', { POSTERN_CALLBACK_TIMEOUT: '0s' }, /POSTERN_CALLBACK_TIMEOUT must be at least 1ms/],
]

suite('the production profile', () => {
  for (const [name, environment, says] of unsafe)
    test(`rejects ${name} and says what to set`, () => assert.match(refusalOf({ ...production, ...environment }), says))

  test('starts with the settings that it needs, without access to private networks and without trusted proxies', () => {
    const settings = readSettings(production)
    assert.deepEqual([settings.callbackAllow, settings.trustProxy, settings.rateLimits], [[], [], 'on'])
    assert.deepEqual(warnings(readSettings(proxied)), [])
  })

  test('warns when nobody is trusted to end TLS, because every call with credentials is then refused', () => {
    const { POSTERN_TRUST_PROXY: _proxies, ...direct } = proxied
    const [warning, ...others] = warnings(readSettings(direct))
    assert.match(warning!, /^POSTERN_TRUST_PROXY is not set: .*refused.*set it to/)
    assert.deepEqual(others, [])
  })

  test('warns when there is no operator token, named or not, because nobody can publish then', () => {
    const { POSTERN_OPERATOR_TOKEN: token, ...without } = proxied
    const [warning, ...others] = warnings(readSettings(without))
    assert.match(warning!, /^POSTERN_OPERATOR_TOKEN is not set, nor is POSTERN_OPERATOR_TOKENS: .*404/)
    assert.deepEqual(others, [])
    assert.deepEqual(warnings(readSettings({ ...without, POSTERN_OPERATOR_TOKENS: `gate:operate:${token}` })), [])
  })

  test('takes lists of networks that leave something out', () => {
    for (const list of ['0.0.0.0/1', '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16', 'fc00::/7,fe80::/10', '::ffff:10.0.0.0/104', '2000::/4'])
      readSettings({ ...proxied, POSTERN_CALLBACK_ALLOW: list, POSTERN_TRUST_PROXY: list })
  })

  test('reports everything unsafe at once', () => {
    const said = refusalOf({ POSTERN_PROFILE: 'production', POSTERN_DATABASE_URL: 'sqlite::memory:', POSTERN_TRUST_PROXY: '::/0' })
    for (const name of ['POSTERN_SECRET', 'POSTERN_OPERATOR_PORT', 'POSTERN_DATABASE_URL', 'POSTERN_TRUST_PROXY'])
      assert.match(said, new RegExp(name))
  })

  test('warns of disabled rate limits, and of a database over a network without TLS', () => {
    const settings = readSettings({ ...proxied, POSTERN_RATE_LIMITS: 'off', POSTERN_DATABASE_URL: 'postgres://db.internal/postern' })
    assert.deepEqual(
      warnings(settings).map((warning) => warning.split(' ')[0]),
      ['POSTERN_RATE_LIMITS', 'POSTERN_DATABASE_URL'],
    )
    const tight = { POSTERN_DATABASE_URL: 'postgres://db.internal/postern?sslmode=verify-full' }
    assert.deepEqual(warnings(readSettings({ ...proxied, ...tight })), [])
  })

  test('warns of an operator port on every address of the machine', () => {
    for (const address of ['0.0.0.0', '::', '[::]', '0:0:0:0:0:0:0:0']) {
      const [warning, ...others] = warnings(readSettings({ ...proxied, POSTERN_OPERATOR_HOST: address }))
      assert.match(warning!, /^POSTERN_OPERATOR_HOST is .*every network.*set it to/, address)
      assert.deepEqual(others, [])
    }
    for (const address of ['10.0.0.5', 'localhost', '::1'])
      assert.deepEqual(warnings(readSettings({ ...proxied, POSTERN_OPERATOR_HOST: address })), [])
  })
})

suite('the development profile', () => {
  for (const name of ['POSTERN_HOST', 'POSTERN_OPERATOR_HOST'])
    test(`rejects ${name} beyond loopback, unless allowed`, () => {
      const environment = { [name]: '0.0.0.0', POSTERN_OPERATOR_PORT: '4003' }
      assert.match(refusalOf(environment), new RegExp(`${name} is 0\\.0\\.0\\.0.*POSTERN_EXPOSE_DEVELOPMENT=1`))
      readSettings({ ...environment, POSTERN_EXPOSE_DEVELOPMENT: '1' })
    })

  test('only warns of lists that add up to everything, and of an operator port on every address', () => {
    const open = { POSTERN_EXPOSE_DEVELOPMENT: '1', POSTERN_OPERATOR_PORT: '4003', POSTERN_OPERATOR_HOST: '::' }
    const found = warnings(readSettings({ ...open, POSTERN_CALLBACK_ALLOW: '0.0.0.0/1,128.0.0.0/1', POSTERN_TRUST_PROXY: '::/0' }))
    assert.deepEqual(
      found.map((warning) => warning.split(' ')[0]),
      ['POSTERN_CALLBACK_ALLOW', 'POSTERN_TRUST_PROXY', 'POSTERN_OPERATOR_HOST'],
    )
    assert.deepEqual(warnings(readSettings({})), [])
  })

  test('warns of operator endpoints on the general port beyond loopback', () => {
    const exposed = { POSTERN_EXPOSE_DEVELOPMENT: '1', POSTERN_HOST: '0.0.0.0' }
    for (const address of ['0.0.0.0', '::', '192.168.1.5', 'my-machine']) {
      const [warning, ...others] = warnings(readSettings({ ...exposed, POSTERN_HOST: address }))
      assert.match(warning!, /^POSTERN_HOST is .*\/operator and \/metrics.*set POSTERN_OPERATOR_PORT/, address)
      assert.ok(warning!.includes(address))
      assert.deepEqual(others, [])
    }
    for (const address of ['127.0.0.1', 'localhost', '::1'])
      assert.deepEqual(warnings(readSettings({ ...exposed, POSTERN_HOST: address })), [], address)
    assert.deepEqual(warnings(readSettings({ ...exposed, POSTERN_OPERATOR_PORT: '4003' })), [])
  })
})
