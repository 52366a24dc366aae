import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { adsSeed } from '../../stage/ads.ts'
import { call } from '../../stage/call.ts'
import { cases } from '../../stage/cases.ts'
import { CATALOGS, createCatalog, cup, type PutResult, sendJson } from '../../stage/catalogs.ts'
import { migratedDatabase } from '../../stage/database.ts'
import { databasesOf } from '../../stage/databases.ts'
import { authorization } from '../../stage/oauth-client.ts'
import { setPair } from '../../stage/pair.ts'
import { PosternProcess } from '../../stage/postern-process.ts'
import { adas } from '../../stage/signed-calls.ts'

const CLIENTS = 20
const ROUNDS = cases(3, 5)

for (const flavour of databasesOf(import.meta))
  suite(`concurrent PUTs on ${flavour}`, () => {
    test('twenty clients that put the same products end with one product for each id, as the last answer had it', async () => {
      await using pair = await setPair({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      const { path, ads, list } = await createCatalog(pair.one)
      const answers: PutResult[] = []
      const client = async (number: number) => {
        const stage = number % 2 === 0 ? pair.one : pair.other
        for (let round = 0; round < ROUNDS; round++) {
          const mark = { custom_label_0: `${number}-${round}` }
          const products = [
            cup({ id: 'shared', ...mark }),
            cup({ id: `group-${round}`, item_group_id: 'g', ...mark }),
            cup({ id: `own-${number}-${round}` }),
          ]
          const answer = await sendJson(stage, 'PUT', `${path}/products`, { products })
          assert.equal(answer.status, 200, answer.text)
          answers.push(...answer.body.data.products_response)
        }
      }
      await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
      assert.deepEqual(
        answers.filter(({ errors }) => errors.length > 0),
        [],
      )
      const byId = Map.groupBy(answers, ({ id }) => id)
      assert.equal(byId.size, 1 + ROUNDS + CLIENTS * ROUNDS)
      for (const [id, results] of byId) {
        assert.equal(results.filter(({ status }) => status === 'CREATE_SUCCESS').length, 1, id)
        assert.equal(new Set(results.map(({ product_key }) => product_key)).size, 1, id)
      }
      const shown: Record<string, unknown>[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await ads('GET', `${path}/products`, cursor === '' ? {} : { cursor })
        shown.push(...page.body.data)
        cursor = page.body.next_cursor
      }
      assert.equal(shown.length, 1 + 1 + CLIENTS * ROUNDS)
      const grouped = shown.filter(({ item_group_id }) => item_group_id === 'g')
      assert.equal(grouped.length, 1)
      assert.equal((await list({ item_group_key: grouped[0]!.item_group_key as string })).length, ROUNDS)
    })

    test('what was answered before kill -9 is there after the next start, each item as a whole', async () => {
      await using begun = new AsyncDisposableStack()
      const database = begun.use(await migratedDatabase(flavour))
      const folder = await mkdtemp(join(tmpdir(), 'postern-catalogs-'))
      begun.defer(() => rm(folder, { recursive: true }))
      await writeFile(join(folder, 'seed.json'), JSON.stringify(adsSeed), { mode: 0o600 })
      const environment = { POSTERN_DATABASE_URL: database.url, POSTERN_SEED: 'seed.json', POSTERN_RATE_LIMITS: 'off' }
      const begin = async () => {
        const postern = new PosternProcess(environment, folder)
        begun.defer(async () => void (await postern.end('SIGKILL')))
        const { ads_base_url: origin } = await postern.ready()
        const send = (method: string, target: string, body?: unknown) =>
          call(origin + target, method, {
            headers: {
              authorization: authorization({ ...adas, method, url: origin + target }),
              ...(body !== undefined && { 'content-type': 'application/json' }),
            },
            body: body === undefined ? undefined : JSON.stringify(body),
          })
        return { postern, send }
      }
      const first = await begin()
      const created = await first.send('POST', `${CATALOGS}?name=Spring`)
      const path = `${CATALOGS}/${created.body.data.id}/products`
      const answered: PutResult[] = []
      const client = async (number: number) => {
        for (let round = 0; ; round++) {
          const products = Array.from({ length: 3 }, (_, index) => cup({ id: `${number}-${round}-${index}` }))
          const answer = await first.send('PUT', path, { products }).catch(() => undefined)
          if (answer?.status !== 200) return
          answered.push(...answer.body.data.products_response)
          if (answered.length > 60) void first.postern.end('SIGKILL')
        }
      }
      await Promise.all(Array.from({ length: 4 }, (_, number) => client(number)))
      const second = await begin()
      const stored = new Map<string, string>()
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await second.send('GET', `${path}${cursor && `?cursor=${cursor}`}`)
        for (const { id, product_key } of page.body.data) stored.set(id, product_key)
        cursor = page.body.next_cursor
      }
      for (const { id, product_key } of answered) assert.equal(stored.get(id), product_key, id)
      const whole = Map.groupBy(stored.keys(), (id) => id.slice(0, id.lastIndexOf('-')))
      for (const [request, items] of whole) assert.equal(items.length, 3, request)
    })
  })
