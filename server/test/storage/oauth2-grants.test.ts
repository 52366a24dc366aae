import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { GivenTokens } from '../../src/storage/oauth2-grants.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { aCode, anApp, aUser, newTokens, opened, rawRows, twentyAtOnce } from './samples.ts'

const flavours = databasesOf(import.meta)

const NOW_MS = 1_700_000_000_000
const { code, expiresAtMs } = aCode()

/** A storage with the apps '1' and '2' and the user '101'. */
async function withUser(flavour: Flavour) {
  const it = await opened(flavour)
  await it.storage.apps.insert(anApp({ id: '2' }))
  await it.storage.users.insert(aUser())
  return it
}

async function withCode(flavour: Flavour) {
  const it = await withUser(flavour)
  await it.storage.oauth2Grants.insertCode(aCode(), aUser(), NOW_MS)
  return it
}

const named = (name: string) => () => ({ ...newTokens(name), grantId: `grant ${name}` })

const exchange = (
  { oauth2Grants }: Storage,
  { appId = '1', name = 'first', nowMs = NOW_MS, refuse = (_: unknown): string | undefined => undefined } = {},
) => oauth2Grants.exchangeCode(code, appId, refuse, named(name), nowMs)

/** A refresh of the grant of the first exchange. */
const refresh = (
  { oauth2Grants }: Storage,
  from: string,
  to: string,
  nowMs = NOW_MS,
  more: { appId?: string; scopes?: string[]; wasIssued?: boolean; isPublic?: boolean } = {},
) =>
  oauth2Grants.refresh(
    { grantId: 'grant first', wasIssued: true, refreshToken: newTokens(from).refresh!, appId: '1', ...more },
    newTokens(to, nowMs),
    nowMs,
  )

const FIRST = { grantId: 'grant first', wasIssued: true }
const FORGED = { grantId: 'grant first', wasIssued: false }

const access = ({ oauth2Grants }: Storage, name: string) => oauth2Grants.findAccess(newTokens(name).access)

const isGiven = (result: unknown): result is GivenTokens => typeof result === 'object' && result !== null && 'grant' in result

for (const flavour of flavours) {
  suite(`OAuth 2.0 grants on ${flavour}`, () => {
    test('an exchange gives a grant with all that was approved, and an access token that is found with its app and user', async () => {
      await using it = await withCode(flavour)
      const grant = {
        id: 'grant first',
        appId: '1',
        userId: '101',
        scopes: ['post.read', 'offline.access'],
        createdAtMs: NOW_MS,
        expiresAtMs: NOW_MS + 86_400_000,
      }
      assert.deepEqual(await exchange(it.storage), { grant, scopes: ['post.read', 'offline.access'] })
      for (const storage of it.storages) {
        for (let time = 0; time < 2; time += 1)
          assert.deepEqual(await access(storage, 'first'), {
            app: anApp(),
            user: aUser(),
            scopes: ['post.read', 'offline.access'],
            expiresAtMs: NOW_MS + 7_200_000,
          })
        assert.deepEqual(await storage.oauth2Grants.granted('1', '101', NOW_MS), [grant])
        assert.deepEqual(await storage.oauth2Grants.granted('2', '101', NOW_MS), [])
        assert.equal(await storage.oauth2Grants.findAccess(newTokens().refresh!), undefined)
      }
    })

    test('the second exchange of a code ends what the first one gave, in every process', async () => {
      await using it = await withCode(flavour)
      assert.ok(isGiven(await exchange(it.storage)))
      for (const storage of it.storages) assert.ok(await access(storage, 'first'))
      assert.deepEqual(await exchange(it.storage, { name: 'second' }), { endedGrantId: 'grant first' })
      assert.equal(await exchange(it.storage, { name: 'third' }), 'unknown')
      for (const storage of it.storages) {
        assert.equal(await access(storage, 'first'), undefined)
        assert.deepEqual(await storage.oauth2Grants.granted('1', '101', NOW_MS), [])
      }
    })

    test('of twenty concurrent exchanges of one code one gives tokens, and the others end them', async () => {
      await using it = await withCode(flavour)
      const done = await twentyAtOnce(it.storages, (storage, n) => exchange(storage, { name: String(n) }))
      assert.equal(done.filter(isGiven).length, 1)
      assert.equal(await access(it.storage, String(done.findIndex(isGiven))), undefined)
    })

    test('another app neither exchanges a code nor ends what it gave', async () => {
      await using it = await withCode(flavour)
      assert.equal(await exchange(it.storage, { appId: '2' }), 'foreign')
      assert.ok(isGiven(await exchange(it.storage)))
      assert.equal(await exchange(it.storage, { appId: '2', name: 'second' }), 'unknown')
      assert.ok(await access(it.storage, 'first'))
    })

    test('a refused exchange says why and leaves the code', async () => {
      await using it = await withCode(flavour)
      const refuse = (found: unknown) => {
        assert.deepEqual(found, aCode())
        return 'verifier'
      }
      const refused = await exchange(it.storage, { refuse })
      assert.deepEqual(refused, { refused: 'verifier' })
      assert.ok(isGiven(await exchange(it.storage)))
    })

    test('a code cannot be exchanged once it has expired', async () => {
      await using it = await withCode(flavour)
      assert.equal(await exchange(it.storage, { nowMs: expiresAtMs }), 'expired')
      assert.ok(isGiven(await exchange(it.storage, { nowMs: expiresAtMs - 1 })))
    })

    test('a refresh replaces the refresh token, adds an access token and lengthens the grant; it may ask for fewer scopes', async () => {
      await using it = await withCode(flavour)
      await exchange(it.storage)
      const later = NOW_MS + 3_600_000
      const refreshed = await refresh(it.storage, 'first', 'second', later, { scopes: ['post.read'] })
      assert.ok(isGiven(refreshed))
      assert.deepEqual(refreshed.scopes, ['post.read'])
      assert.deepEqual([refreshed.grant.scopes, refreshed.grant.expiresAtMs], [['post.read', 'offline.access'], later + 86_400_000])
      assert.deepEqual((await access(it.storage, 'second'))?.scopes, ['post.read'])
      assert.ok(await access(it.storage, 'first'), 'the former access token stays until it expires')
      assert.deepEqual((await refresh(it.storage, 'second', 'third', later)) as object, {
        grant: refreshed.grant,
        scopes: ['post.read', 'offline.access'],
      })
    })

    test('a refresh for more scopes than were granted changes nothing', async () => {
      await using it = await withCode(flavour)
      await exchange(it.storage)
      assert.equal(await refresh(it.storage, 'first', 'second', NOW_MS, { scopes: ['post.read', 'post.write'] }), 'wider')
      assert.ok(isGiven(await refresh(it.storage, 'first', 'second')))
    })

    test('of twenty concurrent refreshes with one token one succeeds, and the grant goes on', async () => {
      await using it = await withCode(flavour)
      await exchange(it.storage)
      const done = await twentyAtOnce(it.storages, (storage, n) => refresh(storage, 'first', String(n)))
      assert.equal(done.filter(isGiven).length, 1)
      const winner = String(done.findIndex(isGiven))
      assert.ok(await access(it.storage, winner))
      assert.ok(isGiven(await refresh(it.storage, winner, 'next')))
    })

    test('a former refresh token is refused for ten seconds, and then ends the grant, in every process', async () => {
      await using it = await withCode(flavour)
      await exchange(it.storage)
      await refresh(it.storage, 'first', 'second')
      for (const storage of it.storages) assert.ok(await access(storage, 'second'))
      assert.equal(await refresh(it.storage, 'first', 'third', NOW_MS + 9_999), 'rotated')
      for (const storage of it.storages) assert.ok(await access(storage, 'second'))
      assert.deepEqual(await refresh(it.storage, 'first', 'third', NOW_MS + 10_000), { endedGrantId: 'grant first' })
      for (const storage of it.storages) assert.equal(await access(storage, 'second'), undefined)
      assert.equal(await refresh(it.storage, 'second', 'third', NOW_MS + 10_000), 'unknown')
    })

    test('a former refresh token is forgiven for ten seconds of its own replacement, however often the grant is refreshed later', async () => {
      await using it = await withCode(flavour)
      await exchange(it.storage)
      await refresh(it.storage, 'first', 'second', NOW_MS)
      await refresh(it.storage, 'second', 'third', NOW_MS + 5000)
      await refresh(it.storage, 'third', 'fourth', NOW_MS + 9000)
      for (const [former, nowMs] of [
        ['first', NOW_MS + 9999],
        ['second', NOW_MS + 14_999],
        ['third', NOW_MS + 18_999],
      ] as const)
        assert.equal(await refresh(it.storage, former, 'other', nowMs), 'rotated', former)
      assert.deepEqual(await refresh(it.storage, 'first', 'other', NOW_MS + 10_000), { endedGrantId: 'grant first' })
      for (const storage of it.storages) assert.equal(await access(storage, 'fourth'), undefined)
    })

    test('a refresh token that was replaced a minute ago ends the grant, although another was replaced two seconds ago', async () => {
      await using it = await withCode(flavour)
      await exchange(it.storage)
      for (let n = 0; n < 7; n += 1)
        assert.ok(isGiven(await refresh(it.storage, n === 0 ? 'first' : `r${n - 1}`, `r${n}`, NOW_MS + n * 9000)), String(n))
      assert.deepEqual(await refresh(it.storage, 'first', 'other', NOW_MS + 56_000), { endedGrantId: 'grant first' })
      assert.equal(await refresh(it.storage, 'r6', 'other', NOW_MS + 56_000), 'unknown')
    })

    test('a grant keeps at most 50 former refresh tokens: of a client that refreshes without end the oldest ends it at once', async () => {
      await using it = await withCode(flavour)
      await exchange(it.storage)
      for (let n = 0; n < 60; n += 1) await refresh(it.storage, n === 0 ? 'first' : `r${n - 1}`, `r${n}`)
      const [row] = await rawRows(it.url, 'select former_tokens from oauth2_grants')
      assert.equal(JSON.parse(row!.former_tokens as string).length, 50)
      assert.equal(await refresh(it.storage, 'r9', 'other'), 'rotated')
      assert.deepEqual(await refresh(it.storage, 'r8', 'other'), { endedGrantId: 'grant first' })
    })

    test('a former refresh token of a public client ends the grant at once: a thief cannot hide in the reuse interval', async () => {
      await using it = await withCode(flavour)
      await exchange(it.storage)
      await refresh(it.storage, 'first', 'second')
      assert.deepEqual(await refresh(it.storage, 'first', 'third', NOW_MS, { isPublic: true }), { endedGrantId: 'grant first' })
      for (const storage of it.storages) assert.equal(await access(storage, 'second'), undefined)
    })

    test('a text that only names a grant neither ends nor refreshes it, also when the grant was never refreshed', async () => {
      await using it = await withCode(flavour)
      await exchange(it.storage)
      const { oauth2Grants, revocations } = it.storage
      for (const newest of ['first', 'second']) {
        const nowMs = NOW_MS + 60_000
        assert.equal(await refresh(it.storage, 'forged', 'third', nowMs, { wasIssued: false }), 'unknown')
        assert.equal(await oauth2Grants.revoke('1', { token: 'forged', named: FORGED }), false)
        assert.equal((await revocations.revoke('forged', FORGED)).count, 0)
        for (const storage of it.storages) assert.ok(await access(storage, newest))
        if (newest === 'first') assert.ok(isGiven(await refresh(it.storage, 'first', 'second')))
      }
    })

    test('the newest refresh token of a grant is one, also when the secret that signed it is gone', async () => {
      await using it = await withCode(flavour)
      await exchange(it.storage)
      assert.ok(isGiven(await refresh(it.storage, 'first', 'second', NOW_MS, { wasIssued: false })))
      assert.equal(await it.storage.oauth2Grants.revoke('1', { token: newTokens('second').refresh!, named: FORGED }), true)
    })

    test('a user has at most 20 grants to an app: with another one the oldest ends, in every process, and those to other apps stay', async () => {
      await using it = await withCode(flavour)
      const { oauth2Grants } = it.storage
      await exchange(it.storage)
      await oauth2Grants.insertCode(aCode({ code: 'of 2', appId: '2' }), aUser(), NOW_MS)
      await oauth2Grants.exchangeCode('of 2', '2', () => undefined, named('of 2'), NOW_MS)
      const approve = async (n: number) => {
        await oauth2Grants.insertCode(aCode({ code: `code ${n}` }), aUser(), NOW_MS)
        await oauth2Grants.exchangeCode(`code ${n}`, '1', () => undefined, named(String(n)), NOW_MS + n)
      }
      for (let n = 1; n < 20; n += 1) await approve(n)
      for (const storage of it.storages) assert.ok(await access(storage, 'first'))
      await approve(20)
      for (const storage of it.storages) {
        assert.equal(await access(storage, 'first'), undefined)
        for (const name of ['1', '20', 'of 2']) assert.ok(await access(storage, name), name)
        assert.equal((await storage.oauth2Grants.granted('1', '101', NOW_MS + 20)).length, 20)
      }
    })

    test('of twenty codes of one user that are exchanged at the same time, each ends one of the oldest grants', async () => {
      await using it = await withUser(flavour)
      const { oauth2Grants } = it.storage
      const texts = Array.from({ length: 40 }, (_, n) => `code ${n}`)
      for (const text of texts) await oauth2Grants.insertCode(aCode({ code: text }), aUser(), NOW_MS)
      const give = (storage: Storage, n: number) =>
        storage.oauth2Grants.exchangeCode(texts[n]!, '1', () => undefined, named(String(n)), NOW_MS + n)
      for (let n = 0; n < 20; n += 1) await give(it.storage, n)
      await twentyAtOnce(it.storages, (storage, n) => give(storage, 20 + n))
      assert.deepEqual(
        (await oauth2Grants.granted('1', '101', NOW_MS + 40)).map(({ id }) => id),
        Array.from({ length: 20 }, (_, n) => `grant ${20 + n}`),
      )
    })

    test('another app can neither refresh, revoke nor end a grant', async () => {
      await using it = await withCode(flavour)
      await exchange(it.storage)
      await refresh(it.storage, 'first', 'second')
      for (const from of ['first', 'second'])
        assert.equal(await refresh(it.storage, from, 'third', NOW_MS + 60_000, { appId: '2' }), 'foreign')
      assert.equal(await it.storage.oauth2Grants.revoke('2', { token: newTokens('second').access }), false)
      assert.equal(await it.storage.oauth2Grants.revoke('2', { token: newTokens('second').refresh!, named: FIRST }), false)
      assert.ok(await access(it.storage, 'second'))
    })

    test('a grant that has expired is not live and cannot be refreshed', async () => {
      await using it = await withCode(flavour)
      await exchange(it.storage)
      const end = NOW_MS + 86_400_000
      assert.deepEqual(await it.storage.oauth2Grants.granted('1', '101', end), [])
      assert.equal((await it.storage.oauth2Grants.granted('1', '101', end - 1)).length, 1)
      assert.equal(await refresh(it.storage, 'first', 'second', end), 'expired')
    })

    const GRANT_ENDED = { count: 1, tokens: [{ kind: 'grant', id: 'grant first', appId: '1', userId: '101' }] }
    const endings: [name: string, end: (storage: Storage) => Promise<unknown>, result: unknown][] = [
      ['its access token is revoked', (it) => it.oauth2Grants.revoke('1', { token: newTokens().access }), true],
      ['its refresh token is revoked', (it) => it.oauth2Grants.revoke('1', { token: newTokens().refresh!, named: FIRST }), true],
      ['the operator revokes its access token', (it) => it.revocations.revoke(newTokens().access), GRANT_ENDED],
      ['the operator revokes its refresh token', (it) => it.revocations.revoke(newTokens().refresh!), GRANT_ENDED],
      ['the operator revokes a former refresh token of it', (it) => it.revocations.revoke('former', FIRST), GRANT_ENDED],
      ['the operator revokes what the user has granted', (it) => it.revocations.revokeOf({ userId: '101' }), GRANT_ENDED],
      ['the operator revokes what the app was granted', (it) => it.revocations.revokeOf({ appId: '1' }), GRANT_ENDED],
      [
        'the operator revokes what the user has granted the app',
        (it) => it.revocations.revokeOf({ userId: '101', appId: '1' }),
        GRANT_ENDED,
      ],
      ['its user is deleted', (it) => it.users.remove('101'), true],
      ['its app is deleted', (it) => it.apps.remove('1'), []],
      ['everything is wiped', (it) => it.wipe(), undefined],
    ]
    for (const [name, end, result] of endings)
      test(`a grant ends with all its tokens when ${name}, in every process`, async () => {
        await using it = await withCode(flavour)
        await exchange(it.storage)
        for (const storage of it.storages) assert.ok(await access(storage, 'first'))
        assert.deepEqual(await end(it.storage), result)
        for (const storage of it.storages) assert.equal(await access(storage, 'first'), undefined)
        for (const table of ['oauth2_grants', 'oauth2_access_tokens']) assert.deepEqual(await rawRows(it.url, `select * from ${table}`), [])
      })

    test('a code cannot be exchanged after its user was disabled, was given a new password, or had everything revoked', async () => {
      await using it = await withCode(flavour)
      const { users, revocations, oauth2Grants } = it.storage
      await users.update('101', { disabled: true })
      assert.equal(await exchange(it.storage), 'unknown')
      assert.equal(await oauth2Grants.insertCode(aCode(), aUser(), NOW_MS), false)
      assert.equal(await exchange(it.storage), 'unknown')
      await revocations.revokeOf({ userId: '101' })
      await users.update('101', { disabled: false })
      await oauth2Grants.insertCode(aCode(), aUser(), NOW_MS)
      await users.update('101', { passwordHash: 'another' })
      assert.equal(await exchange(it.storage), 'unknown')
      assert.equal(await oauth2Grants.insertCode(aCode(), aUser(), NOW_MS), false, 'who approved with the former password')
      assert.equal(await oauth2Grants.insertCode(aCode(), aUser({ passwordHash: 'another' }), NOW_MS), true)
      assert.ok(isGiven(await exchange(it.storage)))
    })

    test('a code that is inserted while the password changes does not outlive the change', async () => {
      await using it = await withUser(flavour)
      const { users, oauth2Grants } = it.storage
      for (let n = 0; n < 20; n += 1) {
        await users.update('101', { passwordHash: 'before' })
        const before = aUser({ passwordHash: 'before' })
        const insert = () => oauth2Grants.insertCode(aCode({ code: `code ${n}` }), before, NOW_MS)
        const change = () => it.storages.at(-1)!.users.update('101', { passwordHash: 'after' })
        await Promise.all(n % 2 ? [insert(), change()] : [change(), insert()])
        assert.deepEqual(await rawRows(it.url, 'select * from oauth2_codes'), [])
      }
    })

    test('a disabled user is found as disabled, and the grant cannot be refreshed until the user is enabled', async () => {
      await using it = await withCode(flavour)
      await exchange(it.storage)
      for (const storage of it.storages) assert.equal((await access(storage, 'first'))?.user.disabled, false)
      await it.storage.users.update('101', { disabled: true })
      for (const storage of it.storages) assert.equal((await access(storage, 'first'))?.user.disabled, true)
      assert.equal(await refresh(it.storage, 'first', 'second'), 'disabled')
      await it.storage.users.update('101', { disabled: false })
      assert.ok(isGiven(await refresh(it.storage, 'first', 'second')))
    })

    test('a suspended app is found as suspended', async () => {
      await using it = await withCode(flavour)
      await exchange(it.storage)
      for (const storage of it.storages) assert.equal((await access(storage, 'first'))?.app.suspended, false)
      await it.storage.apps.update('1', { suspended: true })
      for (const storage of it.storages) assert.equal((await access(storage, 'first'))?.app.suspended, true)
    })

    test('neither codes nor tokens are stored as plain text', async () => {
      await using it = await withCode(flavour)
      const codes = JSON.stringify(await rawRows(it.url, 'select * from oauth2_codes'))
      assert.match(codes, /"scopes":"post.read offline.access"/)
      await exchange(it.storage)
      const tables = ['oauth2_grants', 'oauth2_access_tokens'].map((table) => rawRows(it.url, `select * from ${table}`))
      const stored = JSON.stringify(await Promise.all(tables))
      assert.match(stored, /"id":"grant first"/)
      assert.doesNotMatch(codes + stored, /in-the-clear/)
    })

    test('expired codes and access tokens are deleted along the way, and no others', async () => {
      await using it = await withCode(flavour)
      await exchange(it.storage)
      const { oauth2Grants } = it.storage
      for (let n = 0; n < 300; n += 1) await oauth2Grants.insertCode(aCode({ code: `old ${n}`, expiresAtMs: NOW_MS }), aUser(), NOW_MS)
      for (let n = 0; n < 300; n += 1) await oauth2Grants.insertCode(aCode({ code: `new ${n}` }), aUser(), NOW_MS)
      const [codes] = await rawRows(it.url, `select count(*) as n from oauth2_codes where expires_at_ms <= ${NOW_MS}`)
      assert.equal(Number(codes!.n), 0)
      const later = NOW_MS + 7_200_000
      for (let n = 0; n < 300; n += 1) await refresh(it.storage, n === 0 ? 'first' : `r${n - 1}`, `r${n}`, later)
      const [tokens] = await rawRows(it.url, `select count(*) as n from oauth2_access_tokens where expires_at_ms <= ${later}`)
      assert.equal(Number(tokens!.n), 0)
      assert.ok(await access(it.storage, 'r299'))
    })
  })
}

suite('OAuth 2.0 clients of apps', () => {
  for (const flavour of flavours)
    test(`an app is found by its client id, which no other app can have, and its secret is sealed, on ${flavour}`, async () => {
      await using it = await withUser(flavour)
      const { apps } = it.storage
      assert.deepEqual(await apps.byOAuth2ClientId('client of 1'), anApp())
      assert.equal(await apps.byOAuth2ClientId('CLIENT OF 1'), undefined)
      assert.equal(await apps.insert(anApp({ id: '3', oauth2ClientId: 'client of 1' })), false)
      assert.equal(await apps.insert(anApp({ id: '4', oauth2ClientId: null, oauth2ClientType: null, oauth2ClientSecret: null })), true)
      assert.equal(await apps.insert(anApp({ id: '5', oauth2ClientId: null, oauth2ClientType: null, oauth2ClientSecret: null })), true)
      const changed = await apps.update('1', { oauth2ClientSecret: 'another secret' })
      assert.equal(changed?.oauth2ClientSecret, 'another secret')
      for (const storage of it.storages)
        assert.equal((await storage.apps.byOAuth2ClientId('client of 1'))?.oauth2ClientSecret, 'another secret')
      assert.equal((await apps.update('1', { oauth2ClientType: 'public', oauth2ClientSecret: null }))?.oauth2ClientSecret, null)
      assert.doesNotMatch(JSON.stringify(await rawRows(it.url, 'select * from apps')), /the client secret|another secret/)
    })
})
