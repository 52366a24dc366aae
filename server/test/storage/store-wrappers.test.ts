import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Campaign } from '../../src/endpoints/ads/resources/campaign.ts'
import { recordTypes } from '../../src/endpoints/index.ts'
import { createClock } from '../../src/lib/clock.ts'
import { createSeal } from '../../src/lib/seal.ts'
import type { Change } from '../../src/storage/changes.ts'
import { users as userObjects } from '../../src/storage/content-tables.ts'
import { wrapStore } from '../../src/storage/sql/caches/wrap-store.ts'
import { createContent } from '../../src/storage/sql/content/content-store.ts'
import { createPostRemoval } from '../../src/storage/sql/content/removed-posts.ts'
import type { RefinableStores } from '../../src/storage/sql/engine.ts'
import { migrateDatabase } from '../../src/storage/sql/migrate-database.ts'
import { createStores, openEngine } from '../../src/storage/sql/open-storage.ts'
import { announce, createSqlDatabase, type SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { type Flavour, migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { aCode, anApp, aRequestToken, aSubscription, aUser, aUserToken, aWebhook, FAILED, newTokens, PASSED, SECRET } from './samples.ts'

/** The stores as requests have them, cached or batched, and the same stores as they read the database themselves. */
async function bothStores(flavour: Flavour) {
  const database = await migratedDatabase(flavour)
  const [clock, seal] = [createClock(), createSeal([SECRET])]
  const engine = await openEngine({ url: database.url, clock })
  await migrateDatabase(engine.maintenance, engine.flavour, { recordTypes })
  await engine.ready([])
  const sqlDatabase = createSqlDatabase(engine)
  const content = createContent(sqlDatabase, createPostRemoval(sqlDatabase, clock), engine.worker)
  const plain = createStores(sqlDatabase, content, { clock, seal, recordTypes })
  return {
    plain,
    refined: engine.refine(plain, seal),
    async [Symbol.asyncDispose]() {
      await engine.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** The app '2' and the user '102', with everything that goes with either. Those of before are deleted. */
async function fill(stores: RefinableStores) {
  const { apps, users, webhooks, subscriptions, bearerTokens, userTokens, sessions, requestTokens } = stores
  await apps.remove('2')
  await users.remove('102')
  const grace = aUser({ id: '102', username: 'grace' })
  await apps.insert(anApp({ id: '2' }))
  await users.insert(grace)
  await webhooks.register(aWebhook({ id: '20', appId: '2' }), 5)
  await subscriptions.insert(aSubscription({ id: '2000', appId: '2', webhookId: '20', filter: { userId: '102' } }), 5)
  await bearerTokens.obtain('2', 'bearer of 2', 1)
  await userTokens.insert(aUserToken({ token: 'grace', appId: '2', userId: '102' }))
  await sessions.insert('session of grace', grace, 9, 0)
  await requestTokens.insert(aRequestToken({ token: 'request of 2', appId: '2', expiresAtMs: 9 }), 0)
  await requestTokens.grant('request of 2', aUser({ id: '102' }), 'verifier', 0)
  await giveGrant(stores, 'of 2', { appId: '2', userId: '102' })
}

/** Exchanges a code for a grant and tokens of that name. */
async function giveGrant({ oauth2Grants }: RefinableStores, name: string, { appId, userId } = { appId: '1', userId: '101' }) {
  await oauth2Grants.insertCode(aCode({ code: name, appId, userId }), aUser(), 0)
  await oauth2Grants.exchangeCode(
    name,
    appId,
    () => undefined,
    () => ({ ...newTokens(name), grantId: name }),
    0,
  )
}

type Call = (stores: RefinableStores) => unknown
type Calls = { [Store in keyof RefinableStores]: { [Method in keyof RefinableStores[Store]]: Call } }

const token = aUserToken().token
const request = aRequestToken({ expiresAtMs: 9 })
const ofUser = [{ eventType: 'dm.received', userId: '101', needsConsent: true }]
const ofOther = [{ eventType: 'dm.received', userId: '102', needsConsent: true }]

/**
 * A call of every method of every store that is cached or batched, in an order in which each that writes has something to change. A
 * method that is new has to be added, or this does not compile; `answers` asks what it changes.
 */
const calls: Calls = {
  apps: {
    insert: ({ apps }) => apps.insert(anApp()),
    byId: ({ apps }) => apps.byId('1'),
    byConsumerKey: ({ apps }) => apps.byConsumerKey('key of 1'),
    byOAuth2ClientId: ({ apps }) => apps.byOAuth2ClientId('client of 1'),
    list: ({ apps }) => apps.list(null, 9),
    update: ({ apps }) => apps.update('1', { name: 'Changed' }),
    remove: async ({ apps, ...others }) => {
      await fill({ apps, ...others })
      await answers({ apps, ...others })
      await apps.remove('2')
    },
  },
  users: {
    insert: ({ users }) => users.insert(aUser()),
    byId: ({ users }) => users.byId('101'),
    byUsername: ({ users }) => users.byUsername('ada'),
    list: ({ users }) => users.list({ after: null, limit: 9 }),
    update: async ({ users, ...others }) => {
      await fill({ users, ...others })
      await answers({ users, ...others })
      await users.update('102', { disabled: true })
    },
    remove: ({ users }) => users.remove('102'),
  },
  webhooks: {
    register: ({ webhooks }) => webhooks.register(aWebhook(), 5),
    byId: ({ webhooks }) => webhooks.byId('10'),
    list: ({ webhooks }) => webhooks.list('1'),
    listAll: ({ webhooks }) => webhooks.listAll({ after: null, limit: 9 }),
    byUrl: ({ webhooks }) => webhooks.byUrl('1', 'https://demo.example/10'),
    count: ({ webhooks }) => webhooks.count('1'),
    countAll: ({ webhooks }) => webhooks.countAll(),
    beginChallenge: ({ webhooks }) => webhooks.beginChallenge('10'),
    challenges: ({ webhooks }) => webhooks.challenges('10'),
    decide: async ({ webhooks, subscriptions }) => {
      await subscriptions.insert(aSubscription(), 5)
      await webhooks.decide('10', 1, FAILED)
      await subscriptions.candidates(ofUser)
      await webhooks.decide('10', 2, PASSED)
    },
    postpone: ({ webhooks }) => webhooks.postpone('10', 7_200_000 + 9, { atMs: 90, provenSecretVersion: 3 }),
    moveIntoHour: ({ webhooks }) => webhooks.moveIntoHour(0),
    claimDue: ({ webhooks }) => webhooks.claimDue(1e12, 2e12, 9),
    nextDueMs: ({ webhooks }) => webhooks.nextDueMs(),
    remove: ({ webhooks }) => webhooks.remove('1', '10'),
  },
  subscriptions: {
    insert: async ({ webhooks, subscriptions }) => {
      await webhooks.register(aWebhook(), 5)
      await subscriptions.candidates(ofUser)
      await subscriptions.insert(aSubscription(), 5)
    },
    list: ({ subscriptions }) => subscriptions.list('1', null, 9),
    count: ({ subscriptions }) => subscriptions.count('1'),
    byIds: ({ subscriptions }) => subscriptions.byIds('1', ['1000']),
    update: ({ subscriptions }) => subscriptions.update('1', '1000', { tag: 'changed' }, 7),
    candidates: ({ subscriptions }) => subscriptions.candidates(ofUser),
    remove: ({ subscriptions }) => subscriptions.remove('1', ['1000']),
  },
  consents: { of: ({ consents }) => consents.of('1', ['101']) },
  bearerTokens: {
    obtain: ({ bearerTokens }) => bearerTokens.obtain('1', 'bearer', 1),
    appOf: ({ bearerTokens }) => bearerTokens.appOf('bearer'),
    invalidate: ({ bearerTokens }) => bearerTokens.invalidate('1', 'bearer'),
  },
  userTokens: {
    insert: ({ userTokens }) => userTokens.insert(aUserToken()),
    find: ({ userTokens }) => userTokens.find(token),
    granted: ({ userTokens }) => userTokens.granted('1', '101'),
    revoke: ({ userTokens }) => userTokens.revoke(token),
  },
  oauth2Grants: {
    insertCode: ({ oauth2Grants }) => oauth2Grants.insertCode(aCode(), aUser(), 0),
    exchangeCode: (stores) => giveGrant(stores, 'g'),
    findAccess: ({ oauth2Grants }) => oauth2Grants.findAccess(newTokens('g').access),
    granted: ({ oauth2Grants }) => oauth2Grants.granted('1', '101', 0),
    refresh: ({ oauth2Grants }) =>
      oauth2Grants.refresh({ grantId: 'g', wasIssued: true, refreshToken: newTokens('g').refresh!, appId: '1' }, newTokens('h'), 0),
    revoke: ({ oauth2Grants }) => oauth2Grants.revoke('1', { token: newTokens('h').access }),
  },
  requestTokens: {
    insert: ({ requestTokens }) => requestTokens.insert(request, 0),
    find: ({ requestTokens }) => requestTokens.find(request.token, 0),
    grant: ({ requestTokens }) => requestTokens.grant(request.token, aUser(), 'verifier', 0),
    exchange: ({ requestTokens }) => requestTokens.exchange(request.token, 'verifier', () => aUserToken(), 0),
    deny: async ({ requestTokens }) => {
      await requestTokens.insert(request, 0)
      await requestTokens.deny(request.token, 0)
    },
  },
  sessions: {
    insert: ({ sessions }) => sessions.insert('session', aUser(), 9, 0),
    userOf: ({ sessions }) => sessions.userOf('session', 0),
    remove: ({ sessions }) => sessions.remove('session'),
    removeOf: async ({ sessions }) => {
      await sessions.insert('session', aUser(), 9, 0)
      await sessions.removeOf('101', 0)
    },
  },
  accountMembers: { find: ({ accountMembers }) => accountMembers.find('production', 'acc', '101') },
  records: {
    change: ({ records }) =>
      records.change('acc', { nowMs: 0 }, (transaction) =>
        transaction.insert(Campaign, Campaign.complete({ id: 'k', name: 'Demo', funding_instrument_id: 'f', currency: 'USD' })),
      ),
    get: ({ records }) => records.get(Campaign, 'acc', 'k'),
    list: ({ records }) =>
      records.list(Campaign, {
        scope: { account_id: 'acc' },
        sort: [{ field: 'created_at', descending: true }],
        limit: 9,
        withDeleted: false,
      }),
    rows: ({ records }) =>
      records.rows(Campaign, {
        scope: { account_id: 'acc' },
        sort: [{ field: 'created_at', descending: true }],
        limit: 9,
        withDeleted: false,
      }),
    count: ({ records }) => records.count(Campaign, { scope: { account_id: 'acc' }, withDeleted: false }),
    isAccountClosed: ({ records }) => records.isAccountClosed('acc'),
  },
  content: {
    change: ({ content }) =>
      content.change(async (transaction) => {
        await transaction.relate({ relation: 'follow', source: '101', target: '102' }, '1')
        transaction.count(userObjects, '101', 'post_count', 1)
      }),
    rows: ({ content }) => content.rows(userObjects, ['id', 'post_count'], ['101', '102']),
    postIds: ({ content }) => content.postIds({ of: 'author', authorId: '101', replies: true, reposts: true }, { limit: 9 }),
    postRows: ({ content }) => content.postRows({ of: 'author', authorId: '101', replies: true, reposts: true }, { limit: 9 }, ['id']),
    postsWithTerms: ({ content }) => content.postsWithTerms([], { limit: 9 }),
    postsWithKeywords: ({ content }) =>
      content.postsWithKeywords({ any: [['1']], none: [], countryCode: undefined, fromMs: 0, toMs: 9, withTexts: false }),
    termFrequencies: ({ content }) => content.termFrequencies(['1'], 9),
    items: ({ content }) => content.items({ of: 'targets', relation: 'follow', source: '101' }, { limit: 9 }),
    seenMedia: ({ content }) => content.seenMedia(['3_1'], { viewerId: '101' }),
    postedMedia: ({ content }) => content.postedMedia(['3_1']),
    relationsOf: ({ content }) => content.relationsOf('101', ['102'], ['follow']),
  },
}

/** When a challenge is due is the one thing that a cached list of webhooks need not know. */
const undated = <Webhook extends object>(webhooks: readonly Webhook[]) => webhooks.map((webhook) => ({ ...webhook, nextChallengeAtMs: 0 }))

/** Everything that may be cached, from either kind of store. */
const answers = async ({
  apps,
  bearerTokens,
  requestTokens,
  userTokens,
  oauth2Grants,
  sessions,
  users,
  webhooks,
  ...others
}: RefinableStores) => ({
  grants: [
    await oauth2Grants.findAccess(newTokens('g').access),
    await oauth2Grants.findAccess(newTokens('h').access),
    await oauth2Grants.findAccess(newTokens('of 2').access),
    await oauth2Grants.granted('1', '101', 0),
    await apps.byOAuth2ClientId('client of 2'),
  ],
  apps: [await apps.byId('1'), await apps.byConsumerKey('key of 1'), await apps.byConsumerKey('key of 2'), await apps.list(null, 9)],
  bearer: [await bearerTokens.appOf('bearer'), await bearerTokens.appOf('bearer of 2')],
  request: [await requestTokens.find(request.token, 0), await requestTokens.find('request of 2', 0)],
  filled: [await userTokens.find('grace'), await sessions.userOf('session of grace', 0), await users.byUsername('grace')],
  webhooksOf2: [await webhooks.byId('20'), undated(await webhooks.list('2'))],
  user: [await userTokens.find(token), await userTokens.granted('1', '101'), await sessions.userOf('session', 0), await users.byId('101')],
  webhooks: [await webhooks.byId('10'), undated(await webhooks.list('1')), await webhooks.count('1')],
  candidates: [await others.subscriptions.candidates(ofUser), await others.subscriptions.candidates(ofOther)],
  consents: [await others.consents.of('1', ['101']), await others.consents.of('2', ['102'])],
  members: await others.accountMembers.find('production', 'acc', '101'),
  records: [
    await others.records.get(Campaign, 'acc', 'k'),
    await others.records.count(Campaign, { scope: { account_id: 'acc' }, withDeleted: true }),
  ],
  content: await others.content.rows(userObjects, ['id', 'post_count'], ['101', '102']),
})

for (const flavour of databasesOf(import.meta))
  suite(`cached and batched stores on ${flavour}`, () => {
    test('after a call of any method they return what the database has', async () => {
      await using it = await bothStores(flavour)
      for (const [store, methods] of Object.entries(calls))
        for (const [method, call] of Object.entries(methods)) {
          await answers(it.refined)
          await (call as Call)(it.refined)
          assert.deepEqual(await answers(it.refined), await answers(it.plain), `${store}.${method}`)
        }
    })

    test('they have every method of the stores behind them', async () => {
      await using it = await bothStores(flavour)
      for (const store of Object.keys(it.plain) as (keyof RefinableStores)[])
        assert.deepEqual(Object.keys(it.refined[store]).sort(), Object.keys(it.plain[store]).sort(), store)
    })
  })

interface Notes {
  read(): string
  write(text: string): void
}

test('a wrapper names every method of its store, or it does not compile', () => {
  const notes: Notes = { read: () => 'read', write() {} }
  // @ts-expect-error the method `write`, which is new in the store, is not named
  wrapStore(notes, { read: () => 'cached' })
  assert.equal(wrapStore(notes, { read: () => 'cached', write: 'writes' }).read(), 'cached')
  assert.equal(wrapStore(notes, { read: 'reads', write: 'writes' }).read(), 'read')
})

test('a store cannot write without declaring what it announces, or it does not compile', () => {
  const heard: Change[] = []
  const written = announce('result', { kind: 'app', id: '1' })
  heard.push(...written.changes)
  assert.deepEqual([written.result, heard], ['result', [{ kind: 'app', id: '1' }]])
  const neverCalled = ({ db, write }: SqlDatabase) => [
    // @ts-expect-error `db` only reads
    db.deleteFrom('apps'),
    // @ts-expect-error the result is that of `announce` or `unannounced`
    write((trx) => trx.deleteFrom('apps').execute()),
    // @ts-expect-error `announce` wants at least one change
    announce('result'),
  ]
  assert.equal(typeof neverCalled, 'function')
})
