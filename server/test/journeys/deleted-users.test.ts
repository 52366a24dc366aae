import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCOUNT, adsCaller, adsSeed, dataOf, FUNDING } from '../stage/ads.ts'
import { databasesOf } from '../stage/databases.ts'
import { HOLDS, REVOKED, signedStatuses } from '../stage/operator-calls.ts'
import { setPair } from '../stage/pair.ts'
import { demoApp, otherApp, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { refuseDeletion } from '../stage/refuse-deletion.ts'
import { ada, askForSignIn, atApprovalPage, exchange, grace, PASSWORD, pinOf, signIn } from '../stage/sign-in.ts'
import { adas, graces, othersAdas } from '../stage/signed-calls.ts'
import { rawRows } from '../storage/samples.ts'

const OF_USER = ['user_tokens', 'sessions', 'request_tokens', 'account_members', 'subscriptions']

/** How many rows each table has of a user. */
const rowsOf = async (stage: Stage, id: string) =>
  Promise.all(OF_USER.map(async (table) => (await rawRows(stage.databaseUrl, `select * from ${table} where user_id = '${id}'`)).length))

const remove = (stage: Stage, id = ada.id) => stage.operator('DELETE', `/operator/users/${id}`)

/** Ada and Grace, each with a session, a sign-in half-way, and subscriptions of both apps. */
async function fill(stage: Stage, url: string) {
  for (const { id, username } of [ada, grace]) {
    const asked = await askForSignIn(stage, demoApp, 'oob')
    const page = await atApprovalPage(stage).decide(asked.oauth_token, 'allow', { username, password: PASSWORD })
    assert.notEqual(pinOf(page.text), '')
    for (const app of [demoApp, otherApp]) {
      const token = await stage.token(app)
      const { body } = await stage.api('GET', '/2/webhooks', { token })
      const webhookId = body.data[0]?.id ?? (await stage.register(url, token))
      await stage.subscribe(webhookId, token, { event_type: 'post.create', filter: { user_id: id } })
    }
  }
}

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: a user who is deleted is gone everywhere with all that is the user's; accounts, their history and others stay`, async () => {
    await using pair = await setPair({ flavour, seed: adsSeed })
    const { one, other } = pair
    await using receiver = await startReceiver([demoApp.consumer_secret, otherApp.consumer_secret])
    await fill(one, receiver.url)
    const campaign = { name: 'Spring', funding_instrument_id: FUNDING, entity_status: 'ACTIVE', daily_budget_amount_local_micro: '1000000' }
    const { id: campaignId } = dataOf(await adsCaller(one)('POST', `/12/accounts/${ACCOUNT}/campaigns`, campaign))
    for (const held of [adas, graces, othersAdas]) assert.deepEqual(await signedStatuses(pair, held), HOLDS)
    assert.deepEqual(await rowsOf(one, ada.id), [2, 1, 1, 1, 2])
    const gracesRows = await rowsOf(one, grace.id)

    const answer = await remove(other)
    assert.deepEqual([answer.status, answer.body], [200, { data: { deleted: true } }])
    for (const held of [adas, othersAdas]) assert.deepEqual(await signedStatuses(pair, held), REVOKED)
    assert.deepEqual(await signedStatuses(pair, graces), HOLDS)
    assert.deepEqual([await rowsOf(one, ada.id), await rowsOf(one, grace.id)], [[0, 0, 0, 0, 0], gracesRows])
    for (const stage of [one, other]) {
      const events = [ada.id, grace.id].map((user_id) => ({ event_type: 'post.create', user_id, payload: {} }))
      const [hers, others] = (await stage.operator('POST', '/operator/events', { events })).body.data
      const deliveries = async ({ event_uuid }: { event_uuid: string }) =>
        (await stage.operator('GET', `/operator/deliveries?event_uuid=${event_uuid}`)).body.data.length
      assert.deepEqual([await deliveries(hers), await deliveries(others)], [0, 2])
      const seen = adsCaller(stage, 'production', graces)
      assert.equal(dataOf(await seen('GET', `/12/accounts/${ACCOUNT}/campaigns/${campaignId}`)).name, 'Spring')
    }
    const history = await rawRows(one.databaseUrl, `select user_id from account_history where entity_id = '${campaignId}'`)
    assert.deepEqual(history, [{ user_id: ada.id }])
    assert.equal((await remove(one)).status, 404)
  })

  test(`${flavour}: a deletion that fails midway has deleted nothing`, async () => {
    await using stage = await setStage({ flavour, seed: adsSeed })
    await using receiver = await startReceiver([demoApp.consumer_secret, otherApp.consumer_secret])
    await fill(stage, receiver.url)
    const before = await rowsOf(stage, ada.id)
    await refuseDeletion(flavour, stage.databaseUrl, 'users')
    assert.equal((await remove(stage)).status, 500)
    assert.deepEqual(await rowsOf(stage, ada.id), before)
    assert.equal((await signIn(stage)).oauth_token, adas.oauth_token)
  })

  test(`${flavour}: beside sign-ins, exchanges and sandbox accounts a user is deleted with all that they made`, async () => {
    await using pair = await setPair({ flavour, seed: adsSeed, environment: { POSTERN_RATE_LIMITS: 'off' } })
    const { one, other } = pair
    const waiting = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const asked = await askForSignIn(one, demoApp, 'oob')
        return { asked, pin: pinOf((await atApprovalPage(one).decide(asked.oauth_token, 'allow')).text) }
      }),
    )
    const stageOf = (n: number) => (n % 2 ? one : other)
    const [exchanged, accounts, pages, removed] = await Promise.all([
      Promise.all(waiting.map(({ asked, pin }, n) => exchange(stageOf(n), demoApp, asked, pin))),
      Promise.all(waiting.map((_, n) => adsCaller(stageOf(n), 'sandbox')('POST', '/12/accounts'))),
      Promise.all(waiting.map(async (_, n) => atApprovalPage(stageOf(n)).decide((await askForSignIn(stageOf(n))).oauth_token, 'allow'))),
      remove(other),
    ])
    assert.equal(removed.status, 200, removed.text)
    for (const { status, text } of [...exchanged, ...accounts]) assert.ok([200, 401, 503].includes(status), text)
    for (const { status, text } of pages) assert.ok([302, 401, 403, 503].includes(status), text)
    assert.deepEqual(await rowsOf(one, ada.id), [0, 0, 0, 0, 0])
    assert.deepEqual(await rawRows(one.databaseUrl, `select * from users where id = '${ada.id}'`), [])
    assert.deepEqual(
      pair.lines(({ level }) => level >= 50),
      [],
    )
  })
}
