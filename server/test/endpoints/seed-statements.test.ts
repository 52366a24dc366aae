// However many webhooks an app has, a seed asks the database as much for one more.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KyselyPlugin, PluginTransformQueryArgs, PluginTransformResultArgs } from 'kysely'
import { loadSeedDocument } from '../../src/endpoints/operator/seed/load-seed.ts'
import type { SeedServices } from '../../src/endpoints/operator/seed/seed-adder.ts'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { createClock } from '../../src/lib/clock.ts'
import { createIds } from '../../src/lib/ids.ts'
import { createSeal } from '../../src/lib/seal.ts'
import type { Content } from '../../src/storage/content.ts'
import { createStores, openEngine } from '../../src/storage/sql/open-storage.ts'
import { createSqlDatabase } from '../../src/storage/sql/sql-database.ts'
import { migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { SECRET } from '../storage/samples.ts'

/** What was asked: the kinds of the statements in their order, the rows that they answered, and how many of them counted. */
interface Asked {
  statements: string[]
  rows: number
  counts: number
}

class Recorder implements KyselyPlugin {
  asked: Asked = { statements: [], rows: 0, counts: 0 }

  transformQuery({ node }: PluginTransformQueryArgs) {
    this.asked.statements.push(node.kind)
    if (JSON.stringify(node, (_, value) => (typeof value === 'bigint' ? String(value) : value)).includes('"func":"count"'))
      this.asked.counts += 1
    return node
  }

  async transformResult({ result }: PluginTransformResultArgs) {
    this.asked.rows += result.rows.length
    return result
  }

  take(): Asked {
    const { asked } = this
    this.asked = { statements: [], rows: 0, counts: 0 }
    return asked
  }
}

/** A seed of webhooks, each with a subscription. */
const webhooksOf = (places: readonly number[]): SeedDocument => ({
  webhooks: places.map((place) => ({
    id: `${100 + place}`,
    consumer_key: 'key',
    url: `https://example.com/${place}`,
    valid: place % 2 === 0,
  })),
  subscriptions: places.map((place) => ({
    consumer_key: 'key',
    event_type: 'post.delete',
    filter: { user_id: `${place}` },
    webhook_id: `${100 + place}`,
  })),
})

for (const flavour of databasesOf(import.meta))
  suite(`the statements of a seed on ${flavour}`, () => {
    test('a webhook and its subscription are added with the same statements and rows, and without counting, to an app with none and with fifty', async () => {
      await using database = await migratedDatabase(flavour)
      const clock = createClock()
      const engine = await openEngine({ url: database.url, clock })
      // Before that each change waits until the caches of other processes would be distrusted.
      await engine.ready([])
      const recorder = new Recorder()
      const recorded = { ...engine, db: engine.db.withPlugin(recorder), transactions: engine.transactions.withPlugin(recorder) }
      const content = { rows: async () => [] } as unknown as Content
      const stores = createStores(createSqlDatabase(recorded), content, { clock, seal: createSeal([SECRET]), recordTypes: [] })
      const services = {
        storage: { ...stores, runExclusively: (run: () => unknown) => run() },
        ids: createIds(clock),
        now: () => clock.now(),
        loopbackCallbacks: false,
        refusesWeakSecrets: false,
        usualEarlyAccess: [],
        accountResources: [],
      } as unknown as SeedServices
      const load = async (document: SeedDocument) => {
        const { created, existing } = await loadSeedDocument(document, services)
        return { created: created.length, existing: existing.length, ...recorder.take() }
      }
      try {
        await load({ apps: [{ id: '1', name: 'Demo', consumer_key: 'key', consumer_secret: 'secret' }] })
        const first = await load(webhooksOf([0]))
        assert.equal((await load(webhooksOf(Array.from({ length: 50 }, (_, place) => place + 1)))).created, 100)
        const later = await load(webhooksOf([60]))
        const again = await load(webhooksOf([60]))
        assert.deepEqual([first.created, first.counts], [2, 0])
        assert.deepEqual(later, first)
        assert.deepEqual([again.existing, again.counts], [2, 0])
        assert.ok(again.rows <= later.rows + 2, `${again.rows} rows`)
      } finally {
        await engine.close()
      }
    })
  })
