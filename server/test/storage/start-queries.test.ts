import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { startCountingProxy } from '../stage/counting-proxy.ts'
import { freshDatabase, type TestDatabase } from '../stage/database.ts'
import { demoApp, setStage } from '../stage/postern.ts'

interface Most {
  connections: number
  queries: number
}

/** Starts on the database, and has one request answered that reads an app, counts against a limit and answers a stored token. */
async function assertStarts({ url }: TestDatabase, seed: SeedDocument, most: Most) {
  await using proxy = await startCountingProxy(url)
  await using stage = await setStage({ environment: { POSTERN_DATABASE_URL: proxy.url }, seed })
  await stage.token()
  const { connections, queries } = proxy.counts()
  const counted = `${connections} connections and ${queries} queries`
  assert.ok(connections <= most.connections && queries <= most.queries, counted)
  // A proxy that counts nothing would hide everything.
  assert.ok(connections >= 3 && queries >= 10, counted)
}

test('a start on PostgreSQL opens few connections and asks little until the first request is answered', async () => {
  await using database = await freshDatabase('postgres')
  // It makes all tables and loads a seed.
  await assertStarts(database, { apps: [demoApp] }, { connections: 8, queries: 125 })
  await assertStarts(database, {}, { connections: 4, queries: 20 })
  // A seed that is there already is compared under a lock.
  await assertStarts(database, { apps: [demoApp] }, { connections: 6, queries: 35 })
})
