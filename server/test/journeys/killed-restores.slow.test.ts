// kill -9 while a snapshot is restored: in development alone, and a snapshot ends with its process; what must hold is the data on disk.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as after } from 'node:timers/promises'
import { call } from '../stage/call.ts'
import { migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { type Dump, dumpOf } from '../stage/dump.ts'
import { OPERATOR_TOKEN } from '../stage/postern.ts'
import { PosternProcess } from '../stage/postern-process.ts'

const KILLS = 8
const APPS = 60

const STORES = ['log', 'state'] as const

/** The store of a table: what one transaction restores. No audience has members here. */
const storeOf = (table: string): (typeof STORES)[number] =>
  /^(log_.*|event|given_uuid|target|attempt|delivery|retry|waiting|mark|header|stream)$/.test(table) ? 'log' : 'state'

for (const flavour of databasesOf(import.meta))
  test(`${flavour}: kill -9 within a restore leaves each store as before or as the snapshot, and the next start works`, async () => {
    await using begun = new AsyncDisposableStack()
    const database = begun.use(await migratedDatabase(flavour))
    const folder = await mkdtemp(join(tmpdir(), 'postern-restores-'))
    begun.defer(() => rm(folder, { recursive: true }))
    const begin = async () => {
      const postern = new PosternProcess({ POSTERN_DATABASE_URL: database.url, POSTERN_RATE_LIMITS: 'off' }, folder)
      begun.defer(async () => void (await postern.end('SIGKILL')))
      const { operator_url } = await postern.ready()
      const operator = (method: string, path: string, json?: object) => call(operator_url + path, method, { token: OPERATOR_TOKEN, json })
      return { postern, operator }
    }
    const restored = new Set<string>()
    let tookMs = 0
    for (let kill = 0; kill <= KILLS; kill += 1) {
      const { postern, operator } = await begin()
      const taken = await operator('POST', '/operator/snapshots')
      assert.equal(taken.status, 201, taken.text)
      const then = await dumpOf(database.url)
      for (let app = 0; app < APPS; app += 1)
        assert.equal((await operator('POST', '/operator/apps', { name: `App ${kill} ${app}` })).status, 200)
      const event = { event_type: 'dm.received', user_id: '101', payload: { text: 'x'.repeat(1000) } }
      const published = await operator('POST', '/operator/events', { events: Array(500).fill(event) })
      assert.equal(published.status, 202, published.text)
      const changed = await dumpOf(database.url)
      const startedMs = performance.now()
      const restoring = operator('POST', `/operator/snapshots/${taken.body.data.id}/restore`).catch(() => undefined)
      if (kill === 0) {
        assert.equal((await restoring)?.status, 200)
        tookMs = performance.now() - startedMs
      } else await after((tookMs * kill) / KILLS)
      await postern.end('SIGKILL')
      await restoring
      const left = await dumpOf(database.url)
      const whole = (table: string, dump: Dump) => JSON.stringify(left[table]) === JSON.stringify(dump[table])
      for (const store of STORES) {
        const tables = Object.keys(left).filter((table) => storeOf(table) === store)
        const found = [then, changed].map((dump) => tables.filter((table) => !whole(table, dump)))
        assert.ok(
          found.some((others) => others.length === 0),
          `kill ${kill}: ${store}: other than the snapshot ${found[0]}; other than before ${found[1]}`,
        )
        if (found[1]!.length > 0) restored.add(store)
      }
    }
    const { operator } = await begin()
    const answer = await operator('POST', '/operator/events', { event_type: 'dm.received', user_id: '101', payload: { n: 1 } })
    assert.equal(answer.status, 202, answer.text)
    assert.equal((await operator('GET', `/operator/events/${answer.body.data[0].event_uuid}`)).status, 200)
    assert.equal((await operator('GET', '/operator/apps')).status, 200)
    assert.deepEqual(restored, new Set(STORES))
  })
