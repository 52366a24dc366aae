import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { warnings } from '../../src/settings/setting-conflicts.ts'
import { readSettings, SettingsError } from '../../src/settings/settings.ts'

const SECRET = 's'.repeat(32)
const production = { POSTERN_PROFILE: 'production', POSTERN_SECRET: SECRET, POSTERN_OPERATOR_PORT: '4003' }

function refusalOf(environment: Record<string, string>): string {
  try {
    readSettings(environment)
  } catch (error) {
    assert.ok(error instanceof SettingsError)
    return error.message
  }
  return assert.fail('the settings were accepted')
}

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
  ['a retention below the replay window', { POSTERN_RETENTION: '23h' }, /POSTERN_RETENTION must be at least 1d/],
  ['a deadline of nothing', { POSTERN_CALLBACK_TIMEOUT: '0s' }, /POSTERN_CALLBACK_TIMEOUT must be at least 1ms/],
]

suite('the production profile', () => {
  for (const [name, environment, says] of unsafe)
    test(`rejects ${name} and says what to set`, () => assert.match(refusalOf({ ...production, ...environment }), says))

  test('starts with the settings that it needs, without access to private networks and without trusted proxies', () => {
    const settings = readSettings(production)
    assert.deepEqual([settings.callbackAllow, settings.trustProxy, settings.rateLimits], [[], [], 'on'])
    assert.deepEqual(warnings(settings), [])
  })

  test('reports everything unsafe at once', () => {
    const said = refusalOf({ POSTERN_PROFILE: 'production', POSTERN_DATABASE_URL: 'sqlite::memory:', POSTERN_TRUST_PROXY: '::/0' })
    for (const name of ['POSTERN_SECRET', 'POSTERN_OPERATOR_PORT', 'POSTERN_DATABASE_URL', 'POSTERN_TRUST_PROXY'])
      assert.match(said, new RegExp(name))
  })

  test('warns of disabled rate limits, and of a database over a network without TLS', () => {
    const settings = readSettings({ ...production, POSTERN_RATE_LIMITS: 'off', POSTERN_DATABASE_URL: 'postgres://db.internal/postern' })
    assert.deepEqual(
      warnings(settings).map((warning) => warning.split(' ')[0]),
      ['POSTERN_RATE_LIMITS', 'POSTERN_DATABASE_URL'],
    )
    const tight = { POSTERN_DATABASE_URL: 'postgres://db.internal/postern?sslmode=verify-full' }
    assert.deepEqual(warnings(readSettings({ ...production, ...tight })), [])
  })
})

suite('the development profile', () => {
  for (const name of ['POSTERN_HOST', 'POSTERN_OPERATOR_HOST'])
    test(`rejects ${name} beyond loopback, unless allowed`, () => {
      const environment = { [name]: '0.0.0.0', POSTERN_OPERATOR_PORT: '4003' }
      assert.match(refusalOf(environment), new RegExp(`${name} is 0\\.0\\.0\\.0.*POSTERN_EXPOSE_DEVELOPMENT=1`))
      readSettings({ ...environment, POSTERN_EXPOSE_DEVELOPMENT: '1' })
    })
})
