import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { auditedWhen, bearerStatuses, HOLDS, REVOKED, signedStatuses } from '../stage/operator-calls.ts'
import { setPair } from '../stage/pair.ts'
import { demoApp, otherApp, SECRET, type Stage, setStage } from '../stage/postern.ts'
import { setRace } from '../stage/race.ts'
import { refuseDeletion } from '../stage/refuse-deletion.ts'
import { adas, othersAdas, signedInSeed } from '../stage/signed-calls.ts'
import { rawRows } from '../storage/samples.ts'

const OF_APP = ['webhooks', 'subscriptions', 'replay_jobs', 'bearer_tokens', 'user_tokens', 'request_tokens', 'app_usage']
const NO_ROWS = OF_APP.map(() => 0)

/** How many rows each table has of an app. */
const rowsOf = async (stage: Stage, id: string) =>
  Promise.all(OF_APP.map(async (table) => (await rawRows(stage.databaseUrl, `select * from ${table} where app_id = '${id}'`)).length))

const remove = (stage: Stage, { id } = demoApp) => stage.operator('DELETE', `/operator/apps/${id}`)

const create = async (stage: Stage, json: unknown) => {
  const answer = await stage.operator('POST', '/operator/apps', json)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

const minute = (ms: number) => new Date(ms).toISOString().replace(/\D/g, '').slice(0, 12)

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: an app that is created has what was given and defaults, works everywhere at once, and shows its secret once`, async () => {
    await using pair = await setPair({ flavour })
    const made = await create(pair.one, { name: 'Acme' })
    assert.deepEqual(made, {
      id: made.id,
      consumer_key: made.consumer_key,
      consumer_secret: made.consumer_secret,
      name: 'Acme',
      callback_urls: [],
      permissions: 'read',
      sign_in_with_service: false,
      webhook_limit: 5,
      ads_access: false,
      early_access: ['catalogs', 'account_history', 'advertiser_user_id'],
      suspended: false,
      previous_secret_until: null,
      activity_enrolled: true,
      usage_cap: null,
      event_quota: null,
      delivery_quota: null,
      row_quota: null,
      oauth2_client_id: made.oauth2_client_id,
      oauth2_client_type: 'confidential',
      oauth2_client_secret: made.oauth2_client_secret,
      created_at: made.created_at,
    })
    const generated = [made.consumer_key, made.consumer_secret, made.oauth2_client_id, made.oauth2_client_secret]
    assert.deepEqual(
      generated.map(({ length }: string) => length),
      [24, 48, 32, 48],
    )
    assert.deepEqual(await bearerStatuses(pair, await pair.other.token(made)), [200, 200])

    const chosen = {
      id: '77',
      consumer_key: 'a-chosen-consumer-key',
      consumer_secret: 'a-chosen-consumer-secret',
      oauth2_client_id: 'a-chosen-client',
      oauth2_client_secret: 'a-chosen-client-secret',
      permissions: 'read_write',
    }
    const kept = await create(pair.other, { name: 'Chosen', ...chosen, callback_urls: ['https://a.example/cb'], webhook_limit: 1 })
    assert.deepEqual({ ...kept, ...chosen, webhook_limit: 1 }, kept)
    assert.deepEqual(await bearerStatuses(pair, await pair.one.token(kept)), [200, 200])

    const { text } = await auditedWhen(pair.one, 'createApp')
    const { text: apps } = await pair.one.operator('GET', '/operator/apps')
    assert.match(apps, /a-chosen-consumer-key/)
    const log = JSON.stringify(pair.lines(() => true))
    for (const written of [text, apps, log])
      for (const secret of [made.consumer_secret, chosen.consumer_secret, made.oauth2_client_secret, chosen.oauth2_client_secret])
        assert.ok(!written.includes(secret))
  })

  test(`${flavour}: an id or a key that another app has is refused by name, and nothing is created; of twenty at once one gets it`, async () => {
    await using pair = await setPair({ flavour })
    const refusal = async (json: Record<string, unknown>) => {
      const answer = await pair.one.operator('POST', '/operator/apps', { name: 'Second', ...json })
      assert.equal(answer.status, 400, answer.text)
      assert.ok(!answer.text.includes('a-secret-of-the-second'))
      return answer.body.errors[0]
    }
    await create(pair.one, { name: 'First', consumer_key: 'the-key-of-the-first' })
    const secret = { consumer_secret: 'a-secret-of-the-second' }
    assert.deepEqual(await refusal({ consumer_key: 'the-key-of-the-first', ...secret }), {
      message: '$.consumer_key: must be new; another app has it',
      parameters: { consumer_key: ['the-key-of-the-first'] },
    })
    await create(pair.one, { name: 'Client', oauth2_client_id: 'the-client' })
    assert.deepEqual(
      (await refusal({ oauth2_client_id: 'the-client', ...secret })).message,
      '$.oauth2_client_id: must be new; another app has it',
    )
    assert.deepEqual((await refusal({ id: '1', ...secret })).message, '$.id: must be new; another app has it')
    assert.match((await refusal({ callback_urls: ['javascript:1'] })).message, /callback_urls\.0: must not have the scheme/)
    assert.equal((await pair.one.operator('GET', '/operator/apps')).body.data.length, 4)
    const [server, other] = [pair.one, pair.other]
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? server : other).operator('POST', '/operator/apps', { name: 'Same', id: '5' })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(400)])
  })

  test(`${flavour}: an app that is deleted is refused everywhere, receives nothing more, and leaves nothing; others stay`, async () => {
    await using race = await setRace({ flavour, seed: signedInSeed, environment: { POSTERN_RETRY_PLAN: '1s' } })
    const { one, other, receiver, token } = race
    const { webhookId } = await one.connect(receiver)
    const othersToken = await one.token(otherApp)
    receiver.answerPosts(500, { 'retry-after': '3600' })
    await one.publish({ n: 1 }, { n: 2 })
    await one.deliveriesWhen(`webhook_id=${webhookId}&state=retrying`, (found) => found.length === 2)
    receiver.intercept = undefined
    receiver.hold('POST')
    const window = { from_date: minute(one.clock.now() - 3_600_000), to_date: minute(one.clock.now() + 60_000) }
    const { job_id } = (await one.api('POST', '/2/webhooks/replay', { token, json: { webhook_id: webhookId, ...window } })).body
    await receiver.holding(2)
    await one.publish(...Array.from({ length: 20 }, (_, n) => ({ n })))
    await receiver.holding(4)
    assert.deepEqual(await signedStatuses(race, adas), HOLDS)
    assert.deepEqual(await bearerStatuses(race, token), [200, 200])

    const answer = await remove(other)
    assert.deepEqual([answer.status, answer.body], [200, { data: { deleted: true } }])
    assert.deepEqual(await bearerStatuses(race, token), [401, 401])
    assert.deepEqual(await signedStatuses(race, adas), REVOKED)
    assert.deepEqual(await signedStatuses(race, othersAdas), HOLDS)
    assert.deepEqual(await bearerStatuses(race, othersToken), [200, 200])
    await Promise.all([one, other].map((stage) => assert.rejects(stage.token())))
    receiver.letGo()
    const deliveries = await one.deliveriesWhen(`webhook_id=${webhookId}&max_results=1000`, (found) =>
      found.every(({ state }) => state === 'delivered' || state === 'not_sent'),
    )
    assert.equal(deliveries.length, 22)
    const sent = receiver.posts
    assert.ok(sent <= 2 + 4, `${sent} POSTs`)
    one.clock.advance(2 * 3_600_000)
    assert.deepEqual(await one.publish({ n: 3 }).then((uuids) => uuids.length), 1)
    assert.equal(receiver.posts, sent)
    assert.equal((await one.operator('GET', `/operator/replays/${job_id}`)).status, 404)
    assert.deepEqual(await rowsOf(one, demoApp.id), NO_ROWS)
    const ids = (await other.operator('GET', '/operator/apps')).body.data.map(({ id }: { id: string }) => id)
    assert.deepEqual(ids, [otherApp.id])
    assert.equal((await remove(one)).status, 404)
    assert.deepEqual(
      race.lines(({ level }) => level >= 50),
      [],
    )
  })

  test(`${flavour}: a registration whose app is deleted during the challenge is told to come again, and then refused; no outage is logged`, async () => {
    await using race = await setRace({ flavour })
    const { one, other, receiver, token } = race
    receiver.hold('GET')
    const register = () => one.api('POST', '/2/webhooks', { token, json: { url: receiver.url } })
    const registering = register()
    await receiver.holding(1)
    assert.equal((await remove(other)).status, 200)
    receiver.letGo()
    const answer = await registering
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '1'])
    assert.match(answer.body.detail, /The app or user that this concerns was deleted meanwhile\. Nothing was changed/)
    assert.equal((await register()).status, 401)
    assert.deepEqual(
      race.lines(({ level, msg }) => level >= 40 && msg !== 'wrong credentials'),
      [],
    )
  })

  test(`${flavour}: a deletion of an app that fails midway has deleted nothing`, async () => {
    await using race = await setRace({ flavour, seed: signedInSeed })
    const { one, receiver, token } = race
    await one.connect(receiver)
    const before = await rowsOf(one, demoApp.id)
    await refuseDeletion(flavour, one.databaseUrl, 'apps')
    assert.equal((await remove(one)).status, 500)
    assert.deepEqual(await rowsOf(one, demoApp.id), before)
    assert.deepEqual(await bearerStatuses(race, token), [200, 200])
    await one.publish({ n: 1 })
    await receiver.received(1)
  })

  test(`${flavour}: beside registrations, subscriptions, tokens and events an app is deleted with all that they made`, async () => {
    await using race = await setRace({ flavour, environment: { POSTERN_RATE_LIMITS: 'off' } })
    const { one, other, receiver, token } = race
    const { webhookId } = await one.connect(receiver)
    const stageOf = (n: number) => (n % 2 ? one : other)
    const json = (n: number) => ({ event_type: 'follow.follow', filter: { user_id: `${n + 1}` }, webhook_id: webhookId })
    const [answers, removed] = await Promise.all([
      Promise.all(
        Array.from({ length: 20 }, async (_, n) => [
          await stageOf(n).api('POST', '/2/webhooks', { token, json: { url: `${receiver.url}?${n}` } }),
          await stageOf(n).api('POST', '/2/activity/subscriptions', { token, json: json(n) }),
          await stageOf(n).operator('POST', '/operator/events', { events: [{ event_type: 'dm.received', user_id: '101', payload: {} }] }),
        ]),
      ),
      remove(other),
    ])
    assert.equal(removed.status, 200, removed.text)
    for (const { status, text } of answers.flat()) assert.ok([200, 202, 400, 401, 503].includes(status), text)
    assert.deepEqual(await rowsOf(one, demoApp.id), NO_ROWS)
    await one.deliveriesWhen('max_results=1000', (found) => found.every(({ state }) => state === 'delivered' || state === 'not_sent'))
    assert.deepEqual(
      race.lines(({ level }) => level >= 50),
      [],
    )
  })
}

test('an app is read by its id, without its secrets, and an unknown one is not found', async () => {
  await using stage = await setStage()
  const listed = (await stage.operator('GET', '/operator/apps?max_results=1')).body.data[0]
  assert.deepEqual((await stage.operator('GET', `/operator/apps/${demoApp.id}`)).body, { data: listed })
  assert.ok(!('consumer_secret' in listed))
  const unknown = await stage.operator('GET', '/operator/apps/9')
  assert.deepEqual([unknown.status, unknown.body.detail], [404, 'There is no app 9.'])
})

test('a page of apps that begins after a deleted app is refused, not empty', async () => {
  await using stage = await setStage()
  const { meta } = (await stage.operator('GET', '/operator/apps?max_results=1')).body
  assert.deepEqual(meta, { result_count: 1, next_after: demoApp.id })
  await remove(stage)
  const answer = await stage.operator('GET', `/operator/apps?after=${demoApp.id}`)
  assert.equal(answer.status, 400)
  assert.match(answer.body.errors[0].message, /\$\.after: must be the id of an app; this one may have been deleted/)
})

test('in production an app that is given no early access has none', async () => {
  const environment = { POSTERN_PROFILE: 'production', POSTERN_OPERATOR_PORT: '0', POSTERN_SECRET: SECRET }
  await using stage = await setStage({ environment })
  assert.deepEqual((await create(stage, { name: 'Acme' })).early_access, [])
})
