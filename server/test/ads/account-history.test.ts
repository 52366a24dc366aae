import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { ACCOUNT, type AdsCall, type AdsParams, adsCaller, dataOf, FUNDING, mistakesOf } from '../stage/ads.ts'
import { CAMPAIGN, seedWithLineItems } from '../stage/ads-line-items.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { ada, grace } from '../stage/sign-in.ts'
import { graces } from '../stage/signed-calls.ts'

const OF_ACCOUNT = `/12/accounts/${ACCOUNT}`
const HISTORY = `${OF_ACCOUNT}/account_history`
const HOUR_MS = 3_600_000

/** Ada and Grace may both change the account. */
const seed = {
  ...seedWithLineItems('l1'),
  accounts: seedWithLineItems('l1').accounts?.map((account) => ({
    ...account,
    members: [ada, grace].map(({ id }) => ({ user_id: id, role: 'ACCOUNT_ADMIN' })),
  })),
} as SeedDocument

const hour = (ms: number) => new Date(Math.floor(ms / HOUR_MS) * HOUR_MS).toISOString().replace('.000', '')

/** A range that holds the moment, by whole hours. */
const around = (ms: number) => ({ start_time: hour(ms - HOUR_MS), end_time: hour(ms + HOUR_MS) })

const ofCampaign = (entity_id = CAMPAIGN) => ({ entity_type: 'CAMPAIGN', entity_id })

const by = ({ id }: { id: string }) => ({ user_id: id, platform: 'API_OTHER' })

/** Moves the clock to an hour after one without changes, and changes something, until that was in its first second; answers that hour. */
async function changeOnTheHour({ clock }: Stage, change: (attempt: number) => Promise<{ updated_at: string }>): Promise<number> {
  for (let attempt = 1; attempt <= 5; attempt++) {
    const nowMs = clock.now()
    const nextMs = (Math.floor(nowMs / HOUR_MS) + 2) * HOUR_MS
    clock.advance(nextMs - nowMs)
    if ((await change(attempt)).updated_at === hour(nextMs)) return nextMs
  }
  throw new Error('no change was made within a second of the hour')
}

const rename = async (ads: AdsCall, name: string) => dataOf(await ads('PUT', `${OF_ACCOUNT}/campaigns/${CAMPAIGN}`, { name }))

for (const flavour of databasesOf(import.meta))
  suite(`account history on ${flavour}`, () => {
    test('creating, updating and deleting a campaign is recorded in its history in order', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const range = around(stage.clock.now() + 60_000)
      const created = dataOf(await ads('POST', `${OF_ACCOUNT}/campaigns`, { funding_instrument_id: FUNDING, name: 'Spring' }))
      const path = `${OF_ACCOUNT}/campaigns/${created.id}`
      stage.clock.advance(1000)
      const asked = { name: 'Summer', standard_delivery: true, total_budget_amount_local_micro: 5_000_000 }
      const changed = dataOf(await adsCaller(stage, 'production', graces)('PUT', path, asked))
      dataOf(await ads('PUT', path, { name: 'Summer' }))
      stage.clock.advance(1000)
      const deleted = dataOf(await ads('DELETE', path))
      const entry = { entity: 'CAMPAIGN', entity_id: created.id }
      assert.deepEqual(dataOf(await ads('GET', HISTORY, { ...ofCampaign(created.id), ...range })), [
        {
          ...entry,
          change_time: deleted.updated_at,
          change_type: 'DELETE',
          change_by: by(ada),
          changes: { deleted: { before: false, after: true } },
          entity_data: deleted,
        },
        {
          ...entry,
          change_time: changed.updated_at,
          change_type: 'UPDATE',
          change_by: by(grace),
          changes: {
            name: { before: 'Spring', after: 'Summer' },
            total_budget_amount_local_micro: { before: null, after: 5_000_000 },
          },
          entity_data: changed,
        },
        {
          ...entry,
          change_time: created.created_at,
          change_type: 'CREATE',
          change_by: by(ada),
          changes: {},
          entity_data: created,
        },
      ])
    })

    test('each record type has its changes in the history as the responses showed them', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const range = around(stage.clock.now() + 60_000)
      const lineItem = {
        campaign_id: CAMPAIGN,
        objective: 'ENGAGEMENTS',
        product_type: 'PROMOTED_TWEETS',
        placements: 'ALL_ON_TWITTER',
        start_time: '2026-03-01',
      }
      const kinds: [entity: string, plural: string, given: AdsParams, changes?: AdsParams][] = [
        ['CAMPAIGN', 'campaigns', { funding_instrument_id: FUNDING, name: 'Spring' }, { entity_status: 'PAUSED', end_time: '2026-01-01' }],
        ['LINE_ITEM', 'line_items', lineItem, { name: 'Changed' }],
        ['TARGETING_CRITERIA', 'targeting_criteria', { line_item_id: 'l1', targeting_type: 'LANGUAGE', targeting_value: 'en' }],
        ['PROMOTED_TWEET', 'promoted_posts', { line_item_id: 'l1', post_ids: ['1997712707928100865'] }],
      ]
      for (const [entity_type, plural, given, changes] of kinds) {
        const created = [dataOf(await ads('POST', `${OF_ACCOUNT}/${plural}`, given))].flat()[0]
        const path = `${OF_ACCOUNT}/${plural}/${created.id}`
        const changed = changes ? [['UPDATE', dataOf(await ads('PUT', path, changes))]] : []
        const deleted = dataOf(await ads('DELETE', path))
        const entries = dataOf(await ads('GET', HISTORY, { entity_type, entity_id: created.id, ...range }))
        assert.deepEqual(
          entries.map((entry: Record<string, unknown>) => [entry.change_type, entry.entity_data]),
          [['DELETE', deleted], ...changed, ['CREATE', created]],
          entity_type,
        )
      }
    })

    test('rejected changes and changes of a seed are not recorded', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const range = around(stage.clock.now() + 60_000)
      const promote = (post_ids: number[]) => ads('POST', `${OF_ACCOUNT}/promoted_posts`, { line_item_id: 'l1', post_ids })
      const [promoted] = dataOf(await promote([7]))
      assert.equal((await promote([8, 7])).status, 400)
      const historyOf = async (entity_type: string, entity_id: string) =>
        dataOf(await ads('GET', HISTORY, { entity_type, entity_id, ...range }))
      assert.equal((await historyOf('PROMOTED_TWEET', promoted.id)).length, 1)
      assert.deepEqual(await historyOf('LINE_ITEM', promoted.id), [])
      assert.deepEqual(await historyOf('LINE_ITEM', 'l1'), [])
    })

    test("the start of a range is inclusive, its end exclusive; a filter by user returns only that user's changes", async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const onTheHour = await changeOnTheHour(stage, (attempt) => rename(ads, `One ${attempt}`))
      await rename(adsCaller(stage, 'production', graces), 'Two')
      const names = async (params: Record<string, string>) =>
        dataOf(await ads('GET', HISTORY, { ...ofCampaign(), ...params })).map(
          (entry: { entity_data: { name: string } }) => entry.entity_data.name.split(' ')[0],
        )
      const from = { start_time: hour(onTheHour), end_time: hour(onTheHour + HOUR_MS) }
      assert.deepEqual(await names(from), ['Two', 'One'])
      assert.deepEqual(await names({ start_time: hour(onTheHour - HOUR_MS), end_time: from.start_time }), [])
      assert.deepEqual(await names({ ...from, user_id: grace.id }), ['Two'])
      assert.deepEqual(await names({ ...from, user_id: ada.id }), ['One'])
      assert.deepEqual(await names({ ...from, user_id: '404' }), [])
      const withOffset = from.end_time.replace('Z', '+01:00')
      assert.deepEqual(await names({ ...from, start_time: withOffset }), ['Two', 'One'])
    })

    test('pages are newest first and without later changes; a cursor is valid only for its query', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const query = { ...ofCampaign(), ...around(stage.clock.now() + 60_000), count: 2 }
      const names = ['A', 'B', 'C', 'D', 'E']
      for (const name of names) await rename(ads, name)
      const seen: string[] = []
      let cursor: string | null = null
      for (let page = 0; page < 3; page++) {
        const { body, text } = await ads('GET', HISTORY, { ...query, ...(cursor !== null && { cursor }) })
        assert.ok(body.data, text)
        seen.push(...body.data.map((entry: { entity_data: { name: string } }) => entry.entity_data.name))
        assert.equal(body.data.length, page < 2 ? 2 : 1)
        cursor = body.next_cursor
        if (page === 0) {
          assert.deepEqual(mistakesOf(await ads('GET', HISTORY, { ...query, user_id: ada.id, cursor: cursor! })), [
            400,
            'INVALID_PARAMETER cursor',
          ])
          await rename(ads, 'F')
        }
      }
      assert.deepEqual([seen, cursor], [names.toReversed(), null])
      assert.equal((await ads('GET', HISTORY, { ...query, count: 6 })).body.next_cursor, null)
    })

    test('a range consists of whole hours, and its start is before its end', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      assert.deepEqual(mistakesOf(await ads('GET', HISTORY)).sort(), [
        400,
        ...['end_time', 'entity_id', 'entity_type', 'start_time'].map((name) => `MISSING_PARAMETER ${name}`),
      ])
      const [start_time, end_time] = ['2026-03-01T12:00:00Z', '2026-03-01T13:00:00Z']
      for (const wrong of ['2026-03-01T12:30:00Z', '2026-03-01T12:00:01Z', '2026-03-01T12:00:00+05:30', 'noon']) {
        assert.deepEqual(mistakesOf(await ads('GET', HISTORY, { ...ofCampaign(), start_time: wrong, end_time })), [
          400,
          'INVALID_PARAMETER start_time',
        ])
        assert.deepEqual(mistakesOf(await ads('GET', HISTORY, { ...ofCampaign(), start_time, end_time: wrong })), [
          400,
          'INVALID_PARAMETER end_time',
        ])
      }
      for (const start of [end_time, '2026-03-02'])
        assert.deepEqual(mistakesOf(await ads('GET', HISTORY, { ...ofCampaign(), start_time: start, end_time })), [
          400,
          'INVALID_TIME_WINDOW end_time',
        ])
      assert.deepEqual(mistakesOf(await ads('GET', HISTORY, { ...ofCampaign(), start_time, end_time, count: 1001 })), [
        400,
        'INVALID_PARAMETER count',
      ])
    })

    test('every entity type has a history, empty if nothing has happened; unknown types are rejected', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const of = (entity_type: string) =>
        ads('GET', HISTORY, { ...ofCampaign(), entity_type, entity_id: 'none', ...around(stage.clock.now()) })
      for (const kind of ['CAMPAIGN', 'LINE_ITEM', 'PROMOTED_TWEET', 'TARGETING_CRITERIA', 'PROMOTED_ACCOUNT'])
        assert.deepEqual(dataOf(await of(kind)), [], kind)
      assert.deepEqual(mistakesOf(await of('FUNDING_INSTRUMENT')), [400, 'INVALID_PARAMETER entity_type'])
    })

    test('only an app with early access reads the history', async () => {
      const apps = seed.apps?.map((app) => ({ ...app, early_access: app.consumer_key === demoApp.consumer_key ? ['catalogs'] : [] }))
      await using stage = await setStage({ flavour, seed: { ...seed, apps } as SeedDocument })
      const refused = await adsCaller(stage)('GET', HISTORY, { ...ofCampaign(), ...around(stage.clock.now()) })
      assert.deepEqual(mistakesOf(refused), [403, 'UNAUTHORIZED_CLIENT_APPLICATION'])
    })
  })

test('in dialect x promoted posts are promoted tweets, also in errors and in their history', async () => {
  await using stage = await setStage({ seed, environment: { POSTERN_DIALECT: 'x' } })
  const ads = adsCaller(stage)
  const promotion = { line_item_id: 'l1', tweet_ids: ['1997712707928100865'] }
  const made = await ads('POST', `${OF_ACCOUNT}/promoted_tweets`, promotion)
  const [promoted] = dataOf(made)
  assert.deepEqual([promoted.tweet_id, 'post_id' in promoted], ['1997712707928100865', false])
  assert.ok(made.text.includes('"tweet_ids":[1997712707928100865]'), made.text)
  assert.deepEqual(mistakesOf(await ads('POST', `${OF_ACCOUNT}/promoted_tweets`, promotion)), [400, 'INVALID tweet_ids'])
  const range = around(stage.clock.now() + 60_000)
  const [entry] = dataOf(await ads('GET', HISTORY, { entity_type: 'PROMOTED_TWEET', entity_id: promoted.id, ...range }))
  assert.deepEqual(entry.entity_data, promoted)
})
