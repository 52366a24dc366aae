import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Revoked } from '../../src/storage/revocations.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { aCode, anApp, aRequestToken, aUser, aUserToken, newTokens, opened } from './samples.ts'

/** Who has granted what to whom, and which app has a bearer token. */
const TOKENS = [
  { token: '1 for 101', appId: '1', userId: '101' },
  { token: '1 for 102', appId: '1', userId: '102' },
  { token: '2 for 101', appId: '2', userId: '101' },
]
const BEARERS = ['1', '2']

async function withTokens(flavour: Flavour) {
  const it = await opened(flavour)
  const { apps, users, userTokens, bearerTokens, requestTokens } = it.storage
  await apps.insert(anApp({ id: '2' }))
  await users.insert(aUser())
  await users.insert(aUser({ id: '102', username: 'grace' }))
  for (const token of TOKENS) {
    await userTokens.insert(aUserToken(token))
    await requestTokens.insert(aRequestToken({ token: `request ${token.token}`, appId: token.appId }), 0)
    await requestTokens.grant(`request ${token.token}`, aUser({ id: token.userId }), 'verifier', 0)
  }
  for (const id of BEARERS) await bearerTokens.obtain(id, `bearer of ${id}`, 1)
  for (const storage of it.storages) await standing(storage)
  return it
}

/** The tokens that hold. */
async function standing({ userTokens, bearerTokens, requestTokens }: Storage) {
  const found: string[] = []
  for (const { token } of TOKENS) {
    if (await userTokens.find(token)) found.push(token)
    if (await requestTokens.find(`request ${token}`, 0)) found.push(`request ${token}`)
  }
  for (const id of BEARERS) if (await bearerTokens.appOf(`bearer of ${id}`)) found.push(`bearer of ${id}`)
  return found
}

const everything = [
  '1 for 101',
  'request 1 for 101',
  '1 for 102',
  'request 1 for 102',
  '2 for 101',
  'request 2 for 101',
  'bearer of 1',
  'bearer of 2',
]
const without = (...gone: string[]) => everything.filter((token) => !gone.includes(token))

for (const flavour of databasesOf(import.meta))
  suite(`revocations on ${flavour}`, () => {
    const cases: [name: string, revoke: (storage: Storage) => Promise<Revoked>, count: number, left: string[]][] = [
      ['an access token', ({ revocations }) => revocations.revoke('1 for 101'), 1, without('1 for 101')],
      ['a bearer token', ({ revocations }) => revocations.revoke('bearer of 1'), 1, without('bearer of 1')],
      ['a token that never was', ({ revocations }) => revocations.revoke('bearer of 3'), 0, everything],
      [
        'the tokens of a user',
        ({ revocations }) => revocations.revokeOf({ userId: '101' }),
        2,
        without('1 for 101', 'request 1 for 101', '2 for 101', 'request 2 for 101'),
      ],
      [
        'the tokens of an app',
        ({ revocations }) => revocations.revokeOf({ appId: '1' }),
        3,
        without('1 for 101', 'request 1 for 101', '1 for 102', 'request 1 for 102', 'bearer of 1'),
      ],
      [
        'the tokens that an app has of a user',
        ({ revocations }) => revocations.revokeOf({ userId: '101', appId: '1' }),
        1,
        without('1 for 101', 'request 1 for 101'),
      ],
      ['those of a user who has none', ({ revocations }) => revocations.revokeOf({ userId: '103' }), 0, everything],
    ]
    for (const [name, revoke, count, left] of cases)
      test(`${name}: they are counted, they are gone in every process from the next lookup on, and no others`, async () => {
        await using it = await withTokens(flavour)
        assert.equal((await revoke(it.storage)).count, count)
        for (const storage of it.storages) assert.deepEqual(await standing(storage), left)
        assert.deepEqual(await revoke(it.storage), { count: 0, tokens: [] })
      })

    test('what was revoked is named by kind, app, user and the beginning of its SHA-256, never by itself', async () => {
      await using it = await withTokens(flavour)
      const { revocations } = it.storage
      // printf %s '1 for 101' | sha256sum
      const of101 = { kind: 'access_token', id: 'f36f905e6c2dd3a6', appId: '1', userId: '101' }
      assert.deepEqual((await revocations.revoke('1 for 101')).tokens, [of101])
      const { tokens } = await revocations.revokeOf({ appId: '1' })
      assert.deepEqual(tokens, [
        { kind: 'bearer_token', id: '18f016bb266e2d74', appId: '1' },
        { kind: 'access_token', id: '3cc3c44208a74470', appId: '1', userId: '102' },
      ])
    })

    test('what a user has granted is listed by app, page by page: tokens, and the grants that have not expired', async () => {
      await using it = await withTokens(flavour)
      const { revocations, oauth2Grants, apps, userTokens } = it.storage
      const nowMs = 1_700_000_000_000
      await apps.insert(anApp({ id: '3' }))
      await userTokens.insert(aUserToken({ token: 'another', access: 'read', createdAtMs: nowMs + 5 }))
      for (const [appId, atMs] of [
        ['1', nowMs],
        ['3', nowMs + 1],
      ] as const) {
        await oauth2Grants.insertCode(aCode({ code: `code ${appId}`, appId }), aUser(), nowMs)
        const tokens = () => ({ ...newTokens(appId), grantId: `grant ${appId}`, grantUntilMs: atMs + 1000 })
        await oauth2Grants.exchangeCode(`code ${appId}`, appId, () => undefined, tokens, atMs)
      }
      const scopes = ['post.read', 'offline.access']
      const ofApp1 = [
        { access: 'read_write', createdAtMs: nowMs },
        { access: 'read', createdAtMs: nowMs + 5 },
      ]
      const ofApp2 = { appId: '2', tokens: [{ access: 'read_write', createdAtMs: nowMs }], grants: [] }
      const page = (after: string | null, limit: number, atMs = nowMs) => revocations.consentsOf('101', { after, limit, nowMs: atMs })
      assert.deepEqual(await page(null, 2), [
        { appId: '1', tokens: ofApp1, grants: [{ scopes, createdAtMs: nowMs, untilMs: nowMs + 1000 }] },
        ofApp2,
      ])
      assert.deepEqual(await page('2', 2), [
        { appId: '3', tokens: [], grants: [{ scopes, createdAtMs: nowMs + 1, untilMs: nowMs + 1001 }] },
      ])
      assert.deepEqual(await page(null, 9, nowMs + 1001), [{ appId: '1', tokens: ofApp1, grants: [] }, ofApp2])
      assert.deepEqual(await revocations.consentsOf('103', { after: null, limit: 9, nowMs }), [])
    })
  })
