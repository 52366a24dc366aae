import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { postsSeed, SCHEDULED } from '../../stage/ads-posts.ts'
import { call } from '../../stage/call.ts'
import { cases } from '../../stage/cases.ts'
import { migratedDatabase } from '../../stage/database.ts'
import { databasesOf } from '../../stage/databases.ts'
import { authorization } from '../../stage/oauth-client.ts'
import { pause } from '../../stage/pause.ts'
import { OPERATOR_TOKEN } from '../../stage/postern.ts'
import { PosternProcess } from '../../stage/postern-process.ts'
import { ada } from '../../stage/sign-in.ts'
import { adas } from '../../stage/signed-calls.ts'
import { connectedTo, rawRows } from '../../storage/samples.ts'

const COUNT = cases(60, 120)
/** How much of them is done when the process is killed, once for each. */
const KILLED_AT = [0.2, 0.5, 0.8].slice(0, cases(2, 3))
const MINUTE_MS = 60_000

for (const flavour of databasesOf(import.meta))
  test(`${flavour}: scheduled posts are published once each, however often the process is killed meanwhile`, async () => {
    await using begun = new AsyncDisposableStack()
    const database = begun.use(await migratedDatabase(flavour))
    const folder = await mkdtemp(join(tmpdir(), 'postern-scheduled-'))
    begun.defer(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'seed.json'), JSON.stringify(postsSeed), { mode: 0o600 })
    const begin = async () => {
      const environment = { POSTERN_DATABASE_URL: database.url, POSTERN_SEED: 'seed.json', POSTERN_RATE_LIMITS: 'off' }
      const postern = new PosternProcess(environment, folder)
      begun.defer(async () => void (await postern.end('SIGKILL')))
      return { postern, origins: await postern.ready() }
    }
    let { postern, origins } = await begin()
    const nowMs = Date.now()
    const at = new Date(Math.floor(nowMs / MINUTE_MS + 30) * MINUTE_MS).toISOString()
    const schedule = async (place: number) => {
      const url = origins.ads_base_url + SCHEDULED
      const form = { as_user_id: ada.id, text: `Number ${place}`, scheduled_at: at, nullcast: 'false' }
      const headers = {
        authorization: authorization({ ...adas, method: 'POST', url, form }),
        'content-type': 'application/x-www-form-urlencoded',
      }
      const answer = await call(url, 'POST', { headers, body: new URLSearchParams(form).toString() })
      assert.equal(answer.status, 200, answer.text)
    }
    for (let place = 0; place < COUNT; place += 1) await schedule(place)
    const asker = flavour === 'postgres' ? begun.use(await connectedTo(database.url)) : undefined
    const statuses = async () => {
      const query = 'select status, post_id from scheduled_posts'
      const rows = asker ? await asker.rows(query) : await rawRows(database.url, query)
      return rows.map(({ status }) => status as string)
    }
    const done = async () => (await statuses()).filter((status) => status !== 'SCHEDULED').length
    assert.equal(await done(), 0)
    const moved = await call(`${origins.operator_url}/operator/clock`, 'POST', { token: OPERATOR_TOKEN, json: { advance: '31m' } })
    assert.equal(moved.status, 200, moved.text)
    for (const share of KILLED_AT) {
      while ((await done()) < COUNT * share) await pause()
      await postern.end('SIGKILL')
      ;({ postern, origins } = await begin())
    }
    while ((await done()) < COUNT) await pause()
    assert.deepEqual(new Set(await statuses()), new Set(['SUCCESS']))
    const posts = await rawRows(database.url, "select text from posts where author_id = '101'")
    assert.deepEqual(posts.map(({ text }) => text as string).sort(), Array.from({ length: COUNT }, (_, place) => `Number ${place}`).sort())
    assert.equal(await postern.end('SIGTERM'), 0)
  })
