import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { environmentWarnings, readSettings, SettingsError } from '../../src/settings/settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'postern-secrets-'))
after(() => rmSync(folder, { recursive: true }))

const SECRET = 'a-sealing-secret-of-the-tests-0123456789'

let count = 0
function fileWith(content: string, mode = 0o600): string {
  count += 1
  const path = join(folder, `secret-${count}`)
  writeFileSync(path, content)
  chmodSync(path, mode)
  return path
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

suite('a secret in a file', () => {
  test('is read as if it stood in its setting', () => {
    const settings = readSettings({
      POSTERN_SECRET_FILE: fileWith(`${SECRET},another-${SECRET}`),
      POSTERN_OPERATOR_TOKEN_FILE: fileWith(`token-${SECRET}`),
      POSTERN_DATABASE_URL_FILE: fileWith('postgres://postern:p%40ss@db.internal/postern'),
    })
    assert.deepEqual(settings.secrets, [SECRET, `another-${SECRET}`])
    assert.equal(settings.operatorToken, `token-${SECRET}`)
    assert.equal(settings.databaseUrl, 'postgres://postern:p%40ss@db.internal/postern')
  })

  test('is read without the newline at its end, and otherwise as it is', () => {
    for (const end of ['', '\n', '\r\n', '\n\n'])
      assert.equal(readSettings({ POSTERN_OPERATOR_TOKEN_FILE: fileWith(`  ${SECRET} ${end}`) }).operatorToken, `  ${SECRET} `)
  })

  test('is refused beside the setting itself, which one of the two to take being unknown', () => {
    const both = { POSTERN_SECRET: SECRET, POSTERN_SECRET_FILE: fileWith(SECRET) }
    assert.deepEqual(mistakesOf(both), ['POSTERN_SECRET and POSTERN_SECRET_FILE are both set: remove one of them'])
    assert.deepEqual(mistakesOf({ ...both, POSTERN_SECRET: '' }), [])
    assert.deepEqual(mistakesOf({ ...both, POSTERN_SECRET_FILE: '' }), [])
  })

  test('is named when it cannot be read, is empty or holds what the setting refuses, without its content', () => {
    const missing = join(folder, 'missing')
    const [empty, blank, short] = [fileWith(''), fileWith('\n'), fileWith('too short\n')]
    assert.deepEqual(
      mistakesOf({
        POSTERN_SECRET_FILE: missing,
        POSTERN_OPERATOR_TOKEN_FILE: folder,
        POSTERN_DATABASE_URL_FILE: empty,
      }),
      [
        `POSTERN_DATABASE_URL_FILE names ${empty}, which is empty: write the secret into it`,
        `POSTERN_SECRET_FILE names ${missing}, which cannot be read: ENOENT: no such file or directory`,
        `POSTERN_OPERATOR_TOKEN_FILE names ${folder}, which cannot be read: EISDIR: illegal operation on a directory`,
      ],
    )
    assert.deepEqual(mistakesOf({ POSTERN_SECRET_FILE: blank }), [
      `POSTERN_SECRET_FILE names ${blank}, which is empty: write the secret into it`,
    ])
    assert.deepEqual(mistakesOf({ POSTERN_SECRET_FILE: short }), [`POSTERN_SECRET, read from ${short}, must have at least 32 characters`])
  })

  test('is a placeholder in production as in the setting itself', () => {
    const environment = { POSTERN_PROFILE: 'production', POSTERN_OPERATOR_PORT: '4003', POSTERN_SECRET_FILE: fileWith('x'.repeat(32)) }
    assert.ok(mistakesOf(environment).some((mistake) => mistake.startsWith('POSTERN_SECRET holds a placeholder')))
  })

  test('is warned of when others can read it', () => {
    const [own, group, world] = [fileWith(SECRET), fileWith(SECRET, 0o640), fileWith(SECRET, 0o604)]
    for (const path of [group, world])
      assert.deepEqual(environmentWarnings({ POSTERN_SECRET_FILE: path }), [
        `POSTERN_SECRET_FILE names ${path}, which other users can read: chmod 600 it`,
      ])
    assert.deepEqual(environmentWarnings({ POSTERN_SECRET_FILE: own, POSTERN_OPERATOR_TOKEN_FILE: '' }), [])
  })
})

test('a setting that carries no secret has no file, and its variable is one that is not known', () => {
  assert.deepEqual(environmentWarnings({ POSTERN_HOST_FILE: '/etc/hostname', POSTERN_HOST: '127.0.0.1' }), [
    'unknown setting POSTERN_HOST_FILE: check its spelling',
  ])
})

test('what commands read is no unknown setting of a server that is started from the same shell', () => {
  assert.deepEqual(environmentWarnings({ POSTERN_URL: 'http://127.0.0.1:4000', POSTERN_OPERATOR_URL: 'http://127.0.0.1:4003' }), [])
})
