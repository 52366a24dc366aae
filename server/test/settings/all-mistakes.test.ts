import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { readSettings, SettingsError } from '../../src/settings/settings.ts'
import { certificateAuthority } from '../stage/certificates.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-mistakes-'))
after(() => rmSync(folder, { recursive: true }))

const TOKEN = 'token-that-only-reads-0123456789abcdef'

const production = {
  POSTERN_PROFILE: 'production',
  POSTERN_SECRET: 'Zk3qV9xT7mW2bR8nL5cY1hJ6dP4gS0fA',
  POSTERN_OPERATOR_PORT: '4003',
  POSTERN_BASE_URL: 'https://api.example.com',
  POSTERN_ADS_BASE_URL: 'https://ads-api.example.com',
  POSTERN_ADS_SANDBOX_BASE_URL: 'https://ads-api-sandbox.example.com',
}

function mistakesOf(environment: Record<string, string>): string[] {
  try {
    readSettings(environment)
  } catch (error) {
    assert.ok(error instanceof SettingsError)
    return error.mistakes
  }
  return []
}

function fileWith(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content, { mode: 0o600 })
  return path
}

suite('one start names everything that is wrong', () => {
  test('files that cannot be read, bad values, what production lacks, and ports that are the same', () => {
    const missing = join(folder, 'missing')
    const said = mistakesOf({
      POSTERN_PROFILE: 'production',
      POSTERN_SECRET_FILE: missing,
      POSTERN_OPERATOR_TOKEN: '',
      POSTERN_ADS_PORT: '4002',
      POSTERN_BASE_URL: 'example.com,https://api.example.com,ftp://files.example.com',
      POSTERN_ADS_BASE_URL: 'http://ads-api.example.com',
      POSTERN_TRUST_PROXY: '10.0.0.0,::/0,192.168.1',
      POSTERN_RETRY_PLAN: '5s,soon,later',
      POSTERN_SEED: missing,
      POSTERN_RATE_LIMITS: missing,
      POSTERN_CALLBACK_CA: missing,
      POSTERN_LOG_LEVEL: 'loud',
    })
    const unread = 'which cannot be read: ENOENT: no such file or directory'
    const origins = 'POSTERN_BASE_URL must be a comma-separated list of origins such as https://api.example.com;'
    const networks = 'POSTERN_TRUST_PROXY must be a comma-separated list of CIDR networks such as 10.0.0.0/8 or fd00::/8;'
    const delays = 'POSTERN_RETRY_PLAN must be a duration such as 500ms, 10s, 5m or 1h, not'
    const asServed = 'set it to the https origin that your proxy serves, such as'
    assert.deepEqual(said.sort(), [
      `POSTERN_ADS_BASE_URL names http://ads-api.example.com: in production tokens must not be sent unencrypted; ${asServed} https://ads-api.example.com`,
      'POSTERN_ADS_PORT and POSTERN_ADS_SANDBOX_PORT are both 4002: give each a port of its own',
      `POSTERN_ADS_SANDBOX_BASE_URL is required in production: ${asServed} https://ads-api-sandbox.example.com`,
      `${origins} "example.com" is not an origin`,
      `${origins} "ftp://files.example.com" is not an origin`,
      `POSTERN_CALLBACK_CA names ${missing}, ${unread}`,
      'POSTERN_LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud"',
      'POSTERN_OPERATOR_PORT is required in production: set it to a port that only operators reach',
      'POSTERN_OPERATOR_TOKEN is empty: set it, or unset it if there is to be no such token',
      `POSTERN_RATE_LIMITS must be on, off or a JSON file: it names ${missing}, ${unread}`,
      `${delays} "later"`,
      `${delays} "soon"`,
      `POSTERN_SECRET_FILE names ${missing}, ${unread}`,
      `POSTERN_SEED names ${missing}, ${unread}`,
      `${networks} "10.0.0.0" is not one`,
      `${networks} "192.168.1" is not one`,
    ])
  })

  test('every bad entry of the operator tokens by its place, and no token', () => {
    const entries = [`ci:read:${TOKEN}`, 'ops', `gate:write:${TOKEN}1`, 'cd:read:short', `ci:operate:${TOKEN}2`, `x:read:${TOKEN}`]
    const said = mistakesOf({ POSTERN_OPERATOR_TOKENS: entries.join() })
    const form = 'POSTERN_OPERATOR_TOKENS must be a comma-separated list of name:role:token;'
    assert.deepEqual(said, [
      `${form} entry 2 is not of the form name:role:token`,
      `${form} entry 3 needs a role: read or operate`,
      `${form} entry 4 has a token that must have at least 32 characters`,
      'POSTERN_OPERATOR_TOKENS must give each token a name of its own; entries 1 and 5 have the same',
      'POSTERN_OPERATOR_TOKENS must hold each token once; entries 1 and 6 have the same',
    ])
    for (const mistake of said) assert.ok(!mistake.includes(TOKEN))
  })

  test('of a setting that cannot be read nothing more is said', () => {
    assert.deepEqual(mistakesOf({ ...production, POSTERN_SECRET: 'short', POSTERN_ADS_PORT: 'http' }), [
      'POSTERN_ADS_PORT must be a port from 0 to 65535 (0: any free one), not "http"',
      'POSTERN_SECRET must have at least 32 characters',
    ])
    assert.deepEqual(mistakesOf({ POSTERN_PROFILE: 'prod', POSTERN_HOST: '0.0.0.0' }), [
      'POSTERN_PROFILE must be one of development, production, not "prod"',
    ])
  })
})

suite('POSTERN_CALLBACK_CA', () => {
  const mistakeOf = (path: string) => mistakesOf({ POSTERN_CALLBACK_CA: path })

  test('takes a file with certificates', async () => {
    const authorities = await Promise.all(['one', 'other'].map((name) => certificateAuthority(name)))
    const both = authorities.map(({ cert }) => cert).join('\n')
    assert.equal(readSettings({ POSTERN_CALLBACK_CA: fileWith('both.pem', both) }).callbackCa, both)
  })

  test('refuses what is no file, holds no certificate, or holds one that cannot be read, whichever it is', async () => {
    const { cert, key } = await certificateAuthority('one')
    const broken = cert.replace(/\n[^\n]+\n/, '\nAAAA\n')
    assert.deepEqual(mistakeOf(folder), [
      `POSTERN_CALLBACK_CA names ${folder}, which cannot be read: EISDIR: illegal operation on a directory`,
    ])
    for (const content of ['', 'no certificate', key]) {
      const path = fileWith('none.pem', content)
      assert.deepEqual(mistakeOf(path), [`POSTERN_CALLBACK_CA names ${path}, which holds no PEM certificate`])
    }
    const path = fileWith('broken.pem', cert + broken)
    assert.deepEqual(mistakeOf(path), [`POSTERN_CALLBACK_CA names ${path}, whose certificate 2 cannot be read`])
  })
})

suite('the database in production', () => {
  test('is not created in a folder that does not exist, because its path is probably mistyped', () => {
    assert.deepEqual(mistakesOf({ ...production, POSTERN_DATABASE_URL: `sqlite:${folder}/postrn/postern.db` }), [
      `POSTERN_DATABASE_URL is sqlite:${folder}/postrn/postern.db, but there is no folder ${folder}/postrn: create it, or correct the path`,
    ])
    assert.deepEqual(mistakesOf({ ...production, POSTERN_DATABASE_URL: `sqlite:${folder}/postern.db` }), [])
    assert.deepEqual(mistakesOf({ ...production, POSTERN_DATABASE_URL: 'sqlite:postern.db' }), [])
    assert.deepEqual(mistakesOf(production), [])
    assert.deepEqual(mistakesOf({ POSTERN_DATABASE_URL: `sqlite:${folder}/postrn/postern.db` }), [])
  })
})
