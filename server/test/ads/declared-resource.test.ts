import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { listCampaigns } from '../../src/endpoints/ads/resources/campaign.ts'
import { adsCaller, adsSeed, dataOf, mistakesOf } from '../stage/ads.ts'
import { Clip, clips, listClips } from '../stage/clips.ts'
import type { Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { testList } from '../stage/list-suite.ts'
import { listSeed } from '../stage/list-views.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { ada } from '../stage/sign-in.ts'
import { columnsOf, rawRows } from '../storage/samples.ts'

const members = [{ user_id: ada.id, role: 'ACCOUNT_ADMIN' }]
const first = { media_key: '3_1', file_name: 'one.jpg', media_type: 'IMAGE' }
const campaign = { id: 'c1', name: 'Spring' }

const seedWith = (accounts: object[]) => ({ ...adsSeed, accounts }) as typeof adsSeed

const account = (id: string, seeded: object[]) => ({
  id,
  name: id,
  members,
  funding_instruments: [{ id: `f${id}`, type: 'CREDIT_CARD', currency: 'USD' }],
  campaigns: [{ ...campaign, id: `c${id}` }],
  clips: seeded,
})

const shown = {
  media_key: '3_1',
  id: null,
  campaign_id: 'ca1',
  currency: 'USD',
  name: null,
  title: null,
  description: null,
  file_name: 'one.jpg',
  media_type: 'IMAGE',
  duration: null,
  size: 0,
  tweeted: false,
}

const startWith = (flavour: Flavour, ...accounts: object[]) => setStage({ flavour, more: clips, seed: seedWith(accounts) })

for (const flavour of databasesOf(import.meta))
  suite(`a resource declared by a test, on ${flavour}`, () => {
    suite('its list', () => {
      let stage: Stage
      before(async () => {
        stage = await setStage({ flavour, more: clips, seed: listSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
      })
      after(() => stage[Symbol.asyncDispose]())
      suite(listClips.name, () => testList(listClips, { stage: () => stage, other: listCampaigns, many: 500 }))
    })

    test('its table and indexes are derived from the declaration', async () => {
      await using stage = await startWith(flavour)
      const columns = (await columnsOf(stage.databaseUrl)).filter(({ table }) => table === Clip.table).map(({ column }) => column)
      assert.deepEqual(columns.sort(), [
        ...['account_id', 'campaign_id', 'created_at_ms', 'currency', 'deleted', 'description', 'duration', 'file_name', 'hidden', 'id'],
        ...['media_key', 'media_type', 'name', 'name_title_description_file_name_terms', 'size', 'title', 'tweeted', 'updated_at_ms'],
      ])
      const indexes =
        flavour === 'sqlite'
          ? `select name from pragma_index_list('clips') where origin = 'c'`
          : `select indexname as name from pg_indexes where tablename = 'clips' and indexname <> 'clips_pkey'`
      assert.deepEqual((await rawRows(stage.databaseUrl, indexes)).map(({ name }) => name).sort(), [
        ...['clips_by_created_at', 'clips_by_deleted', 'clips_by_duration', 'clips_by_updated_at'],
        ...['clips_of_campaign_id', 'clips_of_media_type', 'clips_of_size', 'clips_of_tweeted'],
      ])
    })

    test('it is read and deleted by its key, and then not found, with its own error code', async () => {
      await using stage = await startWith(flavour, account('a1', [first]))
      const ads = adsCaller(stage)
      const { created_at, updated_at, ...read } = dataOf(await ads('GET', '/12/accounts/a1/clips/3_1'))
      assert.deepEqual(read, { ...shown, deleted: false })
      assert.deepEqual(Object.keys(dataOf(await ads('GET', '/12/accounts/a1/clips/3_1')))[0], 'media_key')
      const unknown = await ads('GET', '/12/accounts/a1/clips/3_2')
      assert.deepEqual(mistakesOf(unknown), [404, 'PROMOTED_TWEET_NOT_FOUND'])
      assert.equal(unknown.body.errors[0].message, 'Clip 3_2 was not found')
      assert.equal((await ads('GET', '/12/accounts/a1/clips/one')).status, 404)
      const deleted = dataOf(await ads('DELETE', '/12/accounts/a1/clips/3_1'))
      assert.deepEqual([deleted.media_key, deleted.deleted, deleted.created_at, updated_at], ['3_1', true, created_at, updated_at])
      assert.equal((await ads('DELETE', '/12/accounts/a1/clips/3_1')).status, 404)
      assert.equal((await ads('GET', '/12/accounts/a1/clips/3_1')).status, 404)
      assert.equal(dataOf(await ads('GET', '/12/accounts/a1/clips/3_1', { with_deleted: true })).deleted, true)
    })

    test('it is hidden with its parent', async () => {
      await using stage = await startWith(flavour, account('a1', [first]))
      const ads = adsCaller(stage)
      dataOf(await ads('DELETE', '/12/accounts/a1/campaigns/ca1'))
      assert.deepEqual(dataOf(await ads('GET', '/12/accounts/a1/clips')), [])
      const [hidden] = dataOf(await ads('GET', '/12/accounts/a1/clips', { with_deleted: true }))
      assert.deepEqual([hidden.media_key, hidden.deleted], ['3_1', false])
    })

    test('two accounts can have independent records with the same key', async () => {
      await using stage = await startWith(flavour, account('a1', [first]), account('a2', [{ ...first, file_name: 'two.jpg' }]))
      const ads = adsCaller(stage)
      const namesIn = async (id: string) =>
        (await Promise.all([1, 2, 3].map(() => ads('GET', `/12/accounts/${id}/clips/3_1`)))).map((answer) => answer.body.data?.file_name)
      assert.deepEqual(await Promise.all([namesIn('a1'), namesIn('a2')]), [Array(3).fill('one.jpg'), Array(3).fill('two.jpg')])
      dataOf(await ads('DELETE', '/12/accounts/a1/clips/3_1'))
      assert.deepEqual(await Promise.all([namesIn('a1'), namesIn('a2')]), [Array(3).fill(undefined), Array(3).fill('two.jpg')])
    })

    test('its deletion is recorded in the history with its key', async () => {
      await using stage = await startWith(flavour, account('a1', [first]))
      dataOf(await adsCaller(stage)('DELETE', '/12/accounts/a1/clips/3_1'))
      const rows = await rawRows(stage.databaseUrl, 'select entity, entity_id, change_type, user_id from account_history')
      assert.deepEqual(rows, [{ entity: 'CLIP', entity_id: '3_1', change_type: 'DELETE', user_id: '101' }])
    })

    test('a seed is loaded again by its key, reports differences, and is checked against its rules', async () => {
      await using stage = await startWith(flavour, account('a1', [first]))
      await stage.restart()
      assert.deepEqual(
        stage.log.filter(({ level }) => level === 40),
        [],
      )
      const fails = async (seeded: object, message: RegExp) => {
        const starting = startWith(flavour, account('a1', [{ ...first, ...seeded }]))
        await assert.rejects(
          starting.then((it) => it[Symbol.asyncDispose]()),
          message,
        )
      }
      await fails({ media_key: undefined }, /clips\.media_key is missing/)
      await fails({ file_name: undefined }, /clips\.file_name is missing/)
      await fails({ duration: 7 }, /clips\.duration 7 is not the duration of a clip/)
      await fails({ campaign_id: 'c9' }, /clips\.campaign_id c9 is not a record of this account/)
      await fails({ currency: 'EUR' }, /clips\.currency EUR does not match its parent in campaigns/)
      const twins = ['3_1', '3_2'].map((media_key) => ({ ...first, media_key, id: 'same' }))
      const twice = startWith(flavour, account('a1', twins))
      await assert.rejects(
        twice.then((it) => it[Symbol.asyncDispose]()),
        /clips\.id same is that of another clip/,
      )
    })

    test('a start reports the fields that differ from its seed', async () => {
      await using stage = await startWith(flavour, account('a1', [first]))
      await rawRows(stage.databaseUrl, `update clips set file_name = 'other.jpg'`)
      await stage.restart()
      assert.match(stage.log.find(({ level }) => level === 40).msg, /accounts a1 \(clips\.file_name\)/)
    })
  })

test('its description has its parameters, with the types of its fields', async () => {
  await using stage = await startWith('sqlite')
  const { paths } = (await stage.api('GET', '/openapi.json')).body
  const parameters = (path: string, method: string) =>
    Object.fromEntries(paths[path][method].parameters.map(({ name, in: where, schema }: Record<string, never>) => [name, [where, schema]]))
  const listed = parameters('/12/accounts/{account_id}/clips', 'get')
  assert.deepEqual(Object.keys(listed), [
    ...['account_id', 'media_keys', 'campaign_ids', 'media_types', 'media_type', 'tweeted', 'size', 'q'],
    ...['count', 'cursor', 'sort_by', 'with_deleted', 'with_total_count'],
  ])
  const [, media_type] = listed.media_type
  assert.deepEqual(media_type.enum, ['GIF', 'IMAGE', 'VIDEO'])
  assert.equal(listed.media_keys[1].items.pattern, '^\\d{1,3}_\\d{1,19}$')
  assert.equal(listed.q[1].maxLength, 255)
  assert.equal(listed.tweeted[1].type, 'boolean')
  const [where, key] = parameters('/12/accounts/{account_id}/clips/{media_key}', 'delete').media_key
  assert.deepEqual([where, key.pattern], ['path', '^\\d{1,3}_\\d{1,19}$'])
})
