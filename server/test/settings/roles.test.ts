import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { printShared } from '../../src/assemble/agree-on-settings.ts'
import { does, nameRoles } from '../../src/settings/roles.ts'
import { readSettings, type SettingsError } from '../../src/settings/settings.ts'

/** What a process with any roles has. */
const apart = {
  POSTERN_DATABASE_URL: 'postgres://postern@127.0.0.1/postern',
  POSTERN_OPERATOR_PORT: '4003',
  POSTERN_BASE_URL: 'http://127.0.0.1:4000',
}

const rolesOf = (environment: Record<string, string>) => readSettings({ ...apart, ...environment }).roles

function mistakesOf(environment: Record<string, string>): string[] {
  try {
    readSettings(environment)
    return []
  } catch (error) {
    return (error as SettingsError).mistakes
  }
}

suite('POSTERN_ROLES', () => {
  test('is every role when unset', () => assert.deepEqual(rolesOf({}), ['api', 'delivery', 'stream']))

  test('is a list in any order, with blanks', () => assert.deepEqual(rolesOf({ POSTERN_ROLES: ' stream, api' }), ['api', 'stream']))

  for (const [name, value, says] of [
    [
      'an unknown role',
      'api,deliver',
      'POSTERN_ROLES must be a comma-separated list of api, delivery, stream; "deliver" is no role. Did you mean delivery?',
    ],
    ['no role', ' , ', 'POSTERN_ROLES must be a comma-separated list of api, delivery, stream, or unset for all of them; it names none'],
    ['an empty value', '', 'POSTERN_ROLES is empty: name api, delivery or stream, or unset it for all of them'],
    ['a role twice', 'api,stream,api', 'POSTERN_ROLES names api twice: name each role once'],
  ] as const)
    test(`is refused with ${name}`, () => assert.deepEqual(mistakesOf({ ...apart, POSTERN_ROLES: value }), [says]))

  test('is refused with a part of the roles on SQLite, which has one process', () =>
    assert.deepEqual(mistakesOf({ ...apart, POSTERN_DATABASE_URL: 'sqlite::memory:', POSTERN_ROLES: 'api,delivery' }), [
      'POSTERN_ROLES is api,delivery, but SQLite has one process, which does everything: unset POSTERN_ROLES, or set POSTERN_DATABASE_URL to postgres://…',
    ]))

  test('is accepted with all roles on SQLite', () =>
    assert.deepEqual(mistakesOf({ POSTERN_DATABASE_URL: 'sqlite::memory:', POSTERN_ROLES: 'stream,delivery,api' }), []))

  test('without api needs an operator port for probes, and the origin of those with api', () =>
    assert.deepEqual(mistakesOf({ POSTERN_DATABASE_URL: apart.POSTERN_DATABASE_URL, POSTERN_ROLES: 'delivery,stream' }), [
      'POSTERN_OPERATOR_PORT is required of a process with the roles delivery and stream alone: set it to a port, where its probes and metrics answer',
      'POSTERN_BASE_URL is required of a process with the roles delivery and stream alone: set it to the origin of the processes with the role api',
    ]))

  test('may differ between the processes of a database', () =>
    assert.equal(
      printShared(readSettings({ ...apart, POSTERN_ROLES: 'api' })),
      printShared(readSettings({ ...apart, POSTERN_ROLES: 'delivery' })),
    ))
})

test('the roles of a process say what it does', () => {
  assert.equal(does(['api'], 'publicHosts'), true)
  assert.equal(does(['api', 'stream'], 'sending'), false)
  assert.equal(does(['delivery'], 'outbox'), true)
  assert.equal(does(['stream'], 'outbox'), false)
  assert.equal(nameRoles(['api']), 'role api')
  assert.equal(nameRoles(['api', 'stream']), 'roles api and stream')
})
