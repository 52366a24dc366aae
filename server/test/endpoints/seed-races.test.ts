import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SeedReport } from '../../src/endpoints/operator/seed/load-seed.ts'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { freshDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { setPair } from '../stage/pair.ts'
import { Stage } from '../stage/postern.ts'

const ROUNDS = 5

/** One of each kind, with the ids and secrets of its round. */
const documentOf = (round: number) => ({
  apps: [
    { id: `5${round}`, name: 'Raced', consumer_key: `key-${round}`, consumer_secret: 'secret', callback_urls: ['https://example.com/cb'] },
  ],
  users: [{ id: `9${round}`, username: `raced_${round}` }],
  tokens: [{ consumer_key: `key-${round}`, user_id: `9${round}`, oauth_token: `9${round}-token`, oauth_token_secret: 'secret' }],
  webhooks: [{ id: `7${round}`, consumer_key: `key-${round}`, url: 'https://example.com/hook' }],
  subscriptions: [
    {
      subscription_id: `8${round}`,
      consumer_key: `key-${round}`,
      event_type: 'dm.received',
      filter: { user_id: `9${round}` },
      webhook_id: `7${round}`,
    },
  ],
  accounts: [
    {
      id: `raced${round}`,
      name: 'Raced',
      members: [{ user_id: `9${round}`, role: 'ACCOUNT_ADMIN' }],
      funding_instruments: [{ id: `fund${round}`, type: 'CREDIT_CARD', currency: 'USD' }],
      campaigns: [{ funding_instrument_id: `fund${round}`, name: 'Raced' }],
    },
  ],
})

const KINDS = ['accounts', 'apps', 'subscriptions', 'tokens', 'users', 'webhooks']

for (const flavour of databasesOf(import.meta))
  test(`of concurrent loads of one seed, one creates its records and the others find them (${flavour})`, async () => {
    await using pair = await setPair({ flavour })
    for (let round = 0; round < ROUNDS; round += 1) {
      const loads = [pair.one, pair.other, pair.one, pair.other].map((stage) => stage.operator('POST', '/operator/seed', documentOf(round)))
      const reports: SeedReport[] = []
      for (const answer of await Promise.all(loads)) {
        assert.equal(answer.status, 200, answer.text)
        reports.push(answer.body.data)
      }
      const kindsIn = (part: 'created' | 'existing' | 'differing') =>
        reports.flatMap((report) => report[part].map(({ kind }) => kind)).sort()
      assert.deepEqual(kindsIn('created'), KINDS)
      assert.deepEqual(
        kindsIn('existing'),
        KINDS.flatMap((kind) => [kind, kind, kind]),
      )
      assert.deepEqual(kindsIn('differing'), [])
    }
  })

test('two processes that start at the same time on one empty PostgreSQL database both load its seed', async () => {
  await using database = await freshDatabase('postgres')
  const seed = documentOf(1)
  const stages = [0, 1].map(() => new Stage({ POSTERN_DATABASE_URL: database.url }, seed as object as SeedDocument, async () => {}))
  const started = await Promise.allSettled(stages.map((stage) => stage.start()))
  const reasons = started.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
  await Promise.all(stages.filter((_, index) => started[index]!.status === 'fulfilled').map((stage) => stage.stop()))
  assert.deepEqual(reasons, [])
})
