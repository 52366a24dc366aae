import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { warnings } from '../../src/settings/setting-conflicts.ts'
import { readSettings, type SettingsError } from '../../src/settings/settings.ts'

const STATE = 'postgres://postern:secret@127.0.0.1/postern'

const read = (POSTERN_LOG_URLS: string, POSTERN_DATABASE_URL = STATE) => readSettings({ POSTERN_DATABASE_URL, POSTERN_LOG_URLS })

function mistakesOf(urls: string, state?: string): string[] {
  try {
    read(urls, state)
    return []
  } catch (error) {
    return (error as SettingsError).mistakes
  }
}

suite('POSTERN_LOG_URLS', () => {
  test('is a list of 1 to 16 databases, in their order, with blanks', () => {
    assert.deepEqual(read(` ${STATE} ,postgresql://b/log`).logUrls, [STATE, 'postgresql://b/log'])
    assert.equal(readSettings({ POSTERN_DATABASE_URL: STATE }).logUrls, undefined)
    assert.equal(read(Array.from({ length: 16 }, (_, n) => `postgres://h${n}/log`).join()).logUrls!.length, 16)
  })

  for (const [name, value, says] of [
    [
      '17 databases',
      Array.from({ length: 17 }, (_, n) => `postgres://h${n}/log`).join(),
      'POSTERN_LOG_URLS must name 1 to 16 PostgreSQL databases, postgres://…, comma-separated; it names 17',
    ],
    [
      'a SQLite file, without its password or path',
      `${STATE},sqlite:log.db`,
      'POSTERN_LOG_URLS must name PostgreSQL databases, postgres://…; the 2nd is none',
    ],
    ['the same twice', `${STATE},postgres://b/log,${STATE}`, 'POSTERN_LOG_URLS names one database twice: the 1st and the 3rd'],
  ] as const)
    test(`is refused with ${name}`, () => assert.deepEqual(mistakesOf(value), [says]))

  test('is refused beside SQLite', () =>
    assert.deepEqual(mistakesOf(STATE, 'sqlite:postern.db'), [
      'POSTERN_LOG_URLS is set, but POSTERN_DATABASE_URL is a SQLite database: unset the one, or set the other to postgres://…',
    ]))

  test('is warned of in production when a log on another machine need not be encrypted', () => {
    const settings = { ...read(`${STATE},postgres://db2.internal/log`), profile: 'production' as const }
    assert.ok(
      warnings(settings).includes(
        'POSTERN_LOG_URLS has no sslmode: add ?sslmode=verify-full, unless the network to the database is private',
      ),
    )
    const encrypted = { ...settings, logUrls: [STATE, 'postgres://db2.internal/log?sslmode=verify-full'] }
    assert.ok(!warnings(encrypted).some((warning) => warning.startsWith('POSTERN_LOG_URLS')))
  })
})
