import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { operatorTokensOf } from '../../src/settings/operator-tokens.ts'
import { readSettings, SettingsError } from '../../src/settings/settings.ts'

const READ = 'token-that-only-reads-0123456789abcdef'
const OPERATE = 'token-that-operates-0123456789abcdefgh'
const UNNAMED = 'token-without-a-name-0123456789abcdefg'
const production = {
  POSTERN_PROFILE: 'production',
  POSTERN_SECRET: 'Zk3qV9xT7mW2bR8nL5cY1hJ6dP4gS0fA',
  POSTERN_OPERATOR_PORT: '4003',
  POSTERN_BASE_URL: 'https://api.example.com',
  POSTERN_ADS_BASE_URL: 'https://ads-api.example.com',
  POSTERN_ADS_SANDBOX_BASE_URL: 'https://ads-api-sandbox.example.com',
}

function refusalOf(environment: Record<string, string>): string {
  try {
    readSettings({ ...production, ...environment })
  } catch (error) {
    assert.ok(error instanceof SettingsError)
    return error.message
  }
  return assert.fail('the settings were accepted')
}

const wrong: [name: string, value: string, says: RegExp][] = [
  [
    'an entry that is a token alone',
    READ,
    /POSTERN_OPERATOR_TOKENS must be a comma-separated list of name:role:token; entry 1 is not of the form/,
  ],
  ['an entry without a token', `ci:read:${READ},ops:operate`, /; entry 2 is not of the form name:role:token/],
  ['an unknown role', `ci:write:${READ}`, /; entry 1 needs a role: read or operate/],
  ['a role and a token that changed places', `ci:${READ}:read`, /; entry 1 needs a role: read or operate/],
  [
    'a token in place of the name',
    `${READ}${OPERATE}:read:ci`,
    /; entry 1 needs a name of 1 to 40 letters, digits, dots, dashes or underscores/,
  ],
  ['no name', `:read:${READ}`, /; entry 1 needs a name/],
  ['a name with a space', `the ci:read:${READ}`, /; entry 1 needs a name/],
  ['a short token', `ops:operate:${OPERATE},ci:read:${READ.slice(0, 31)}`, /; entry 2 has a token that must have at least 32 characters/],
  [
    'one name twice',
    `ci:read:${READ},ops:operate:${UNNAMED},ci:operate:${OPERATE}`,
    /give each token a name of its own; entries 1 and 3 have the same/,
  ],
  ['one token twice', `ci:read:${READ},ops:operate:${READ}`, /must hold each token once; entries 1 and 2 have the same/],
  ['no entry', ' , ', /POSTERN_OPERATOR_TOKENS must contain an operator token: name:role:token/],
]

suite('operator tokens', () => {
  test('each has a name and a role; one may hold colons; the unnamed one operates', () => {
    const settings = readSettings({
      POSTERN_OPERATOR_TOKEN: UNNAMED,
      POSTERN_OPERATOR_TOKENS: `ci:read:${READ}, on.call-2_b:operate:${OPERATE}:with:colons`,
    })
    assert.deepEqual(operatorTokensOf(settings.operatorToken, settings.operatorTokens), [
      { name: null, role: 'operate', token: UNNAMED },
      { name: 'ci', role: 'read', token: READ },
      { name: 'on.call-2_b', role: 'operate', token: `${OPERATE}:with:colons` },
    ])
    assert.deepEqual(operatorTokensOf(undefined), [])
  })

  for (const [name, value, says] of wrong)
    test(`${name} is refused by its place, and no token is repeated`, () => {
      const said = refusalOf({ POSTERN_OPERATOR_TOKENS: value })
      assert.match(said, says)
      for (const token of [READ.slice(0, 31), OPERATE, UNNAMED]) assert.ok(!said.includes(token), said)
    })

  test('a token that both settings hold is refused', () => {
    const said = refusalOf({ POSTERN_OPERATOR_TOKEN: READ, POSTERN_OPERATOR_TOKENS: `ci:read:${READ}` })
    assert.match(said, /POSTERN_OPERATOR_TOKENS holds the token of POSTERN_OPERATOR_TOKEN: give each a token of its own/)
    assert.ok(!said.includes(READ))
  })

  test('a named token that is a placeholder is refused in production alone, and not repeated', () => {
    const placeholder = 'changeme-changeme-changeme-changeme'
    const named = { POSTERN_OPERATOR_TOKENS: `ci:read:${READ},ops:operate:${placeholder}` }
    const said = refusalOf(named)
    assert.match(said, /POSTERN_OPERATOR_TOKENS holds a placeholder, which anybody could guess: generate one/)
    assert.ok(!said.includes(placeholder))
    assert.equal(readSettings(named).operatorTokens?.length, 2)
  })

  for (const name of ['POSTERN_OPERATOR_TOKEN', 'POSTERN_OPERATOR_TOKENS'])
    test(`${name} that is empty is refused in production, and beside everything else that is wrong`, () => {
      assert.match(refusalOf({ [name]: '' }), new RegExp(`${name} is empty: set it, or unset it`))
      const both = refusalOf({ [name]: '', POSTERN_LOG_LEVEL: 'loud' })
      for (const variable of [name, 'POSTERN_LOG_LEVEL']) assert.match(both, new RegExp(`- ${variable} `))
      assert.equal(readSettings(production).operatorToken, undefined)
      assert.equal(readSettings({ [name]: '' }).operatorToken, undefined)
    })
})
