import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCOUNT, adsCaller, adsSeed } from '../stage/ads.ts'
import { databasesOf } from '../stage/databases.ts'
import { auditedWhen, HOLDS, REVOKED, signedStatuses } from '../stage/operator-calls.ts'
import { setPair } from '../stage/pair.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { ada, askForSignIn, atApprovalPage, exchange, grace, PASSWORD, pinOf, signInSeed } from '../stage/sign-in.ts'
import { adas, graces, othersAdas, refusalOf, sendSigned, signedInSeed } from '../stage/signed-calls.ts'

const NEW_PASSWORD = 'a new horse'

const change = async (stage: Stage, json: Record<string, unknown>, id = ada.id) => {
  const answer = await stage.operator('PATCH', `/operator/users/${id}`, json)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

/** What the approval page answers to a password. */
const login = async (stage: Stage, password: string, username = ada.username) => {
  const { oauth_token } = await askForSignIn(stage, demoApp, 'oob')
  return atApprovalPage(stage).decide(oauth_token, 'allow', { username, password })
}

/** Somebody who is signed in, and asks again whether that is so still. */
async function signedIn(stage: Stage, username = ada.username) {
  const visitor = atApprovalPage(stage)
  await visitor.decide((await askForSignIn(stage)).oauth_token, 'allow', { username, password: PASSWORD })
  return async (at: Stage) => {
    const elsewhere = atApprovalPage(at)
    elsewhere.setCookie(visitor.cookie())
    return /Signed in as/.test((await elsewhere.open((await askForSignIn(stage)).oauth_token)).text)
  }
}

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: a disabled user is refused everywhere, on every host, until enabled; nobody else is`, async () => {
    await using pair = await setPair({ flavour, seed: adsSeed })
    for (const held of [adas, graces, othersAdas]) assert.deepEqual(await signedStatuses(pair, held), HOLDS)
    assert.deepEqual(await change(pair.one, { disabled: true }), {
      id: '101',
      username: 'ada',
      name: 'Ada',
      disabled: true,
      created_at: (await change(pair.one, { disabled: true })).created_at,
    })
    for (const held of [adas, othersAdas]) assert.deepEqual(await signedStatuses(pair, held), REVOKED)
    assert.deepEqual(await signedStatuses(pair, graces), HOLDS)
    for (const stage of [pair.one, pair.other]) {
      assert.deepEqual(refusalOf(await sendSigned(stage, { path: '/2/users/me' })), [401, 89])
      for (const host of ['production', 'sandbox'] as const) {
        const refused = await adsCaller(stage, host)('GET', '/12/accounts')
        assert.deepEqual([refused.status, refused.body.errors[0].code], [401, 89])
      }
      assert.equal((await adsCaller(stage, 'production', graces)('GET', `/12/accounts/${ACCOUNT}`)).status, 200)
      const page = await login(stage, PASSWORD)
      assert.deepEqual([page.status, /The username and password do not match/.test(page.text)], [401, true])
    }
    assert.equal((await login(pair.other, PASSWORD, grace.username)).status, 200)

    assert.equal((await change(pair.other, { disabled: false })).disabled, false)
    for (const held of [adas, othersAdas]) assert.deepEqual(await signedStatuses(pair, held), HOLDS)
    assert.equal((await adsCaller(pair.one)('GET', `/12/accounts/${ACCOUNT}`)).status, 200)
    assert.equal((await login(pair.one, PASSWORD)).status, 200)
  })

  test(`${flavour}: disabling ends sessions and sign-ins half-way, and enabling brings neither back`, async () => {
    await using pair = await setPair({ flavour, seed: signInSeed })
    const [adaIsIn, graceIsIn] = [await signedIn(pair.one), await signedIn(pair.one, grace.username)]
    assert.deepEqual([await adaIsIn(pair.other), await graceIsIn(pair.other)], [true, true])
    const asked = await askForSignIn(pair.one, demoApp, 'oob')
    const pin = pinOf((await atApprovalPage(pair.one).decide(asked.oauth_token, 'allow')).text)
    for (const disabled of [true, false]) {
      await change(pair.one, { disabled })
      for (const stage of [pair.one, pair.other]) {
        assert.deepEqual([await adaIsIn(stage), await graceIsIn(stage)], [false, true])
        const refused = await exchange(stage, demoApp, asked, pin)
        assert.deepEqual([refused.status, refused.body.errors[0].code], [401, 89])
      }
    }
  })

  test(`${flavour}: public events about a disabled user go on to the webhooks of apps, private ones only before and after`, async () => {
    await using pair = await setPair({ flavour, seed: signedInSeed })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    const { token, webhookId } = await pair.one.connect(receiver)
    await pair.one.subscribe(webhookId, token, { event_type: 'post.create' })
    const publish = async (n: number) => {
      const events = ['dm.received', 'post.create'].map((event_type) => ({ event_type, user_id: ada.id, payload: { n } }))
      assert.equal((await pair.one.operator('POST', '/operator/events', { events })).status, 202)
    }
    await publish(1)
    await receiver.received(2)
    await change(pair.other, { disabled: true })
    await publish(2)
    await receiver.received(3)
    await change(pair.other, { disabled: false })
    await publish(3)
    const received = await receiver.received(5)
    assert.deepEqual(received.map(({ data }) => `${data!.event_type} ${(data!.payload as { n: number }).n}`).sort(), [
      ...['dm.received 1', 'dm.received 3'],
      ...['post.create 1', 'post.create 2', 'post.create 3'],
    ])
  })

  test(`${flavour}: a new password is the one that counts, ends sessions and sign-ins half-way, and leaves tokens`, async () => {
    await using pair = await setPair({ flavour, seed: adsSeed })
    const isIn = await signedIn(pair.one)
    const asked = await askForSignIn(pair.one, demoApp, 'oob')
    const pin = pinOf((await atApprovalPage(pair.one).decide(asked.oauth_token, 'allow')).text)
    await change(pair.other, { password: NEW_PASSWORD })
    for (const stage of [pair.one, pair.other]) {
      assert.equal(await isIn(stage), false)
      assert.equal((await exchange(stage, demoApp, asked, pin)).status, 401)
      assert.deepEqual([(await login(stage, PASSWORD)).status, (await login(stage, NEW_PASSWORD)).status], [401, 200])
    }
    assert.deepEqual(await signedStatuses(pair, adas), HOLDS)
    await change(pair.one, { password: ada.password })
    assert.equal((await login(pair.other, PASSWORD)).status, 200)
  })

  test(`${flavour}: sessions are ended by themselves, and counted`, async () => {
    await using pair = await setPair({ flavour, seed: signInSeed })
    const [first, second, graceIsIn] = [await signedIn(pair.one), await signedIn(pair.other), await signedIn(pair.one, grace.username)]
    const end = async (stage: Stage) => (await stage.operator('DELETE', '/operator/sessions?user_id=101')).body.data
    assert.deepEqual(await end(pair.other), { ended: 2 })
    for (const stage of [pair.one, pair.other])
      assert.deepEqual([await first(stage), await second(stage), await graceIsIn(stage)], [false, false, true])
    assert.deepEqual(await end(pair.one), { ended: 0 })
    assert.equal((await login(pair.one, PASSWORD)).status, 200)
  })
}

test('a password that cannot be used is refused and nothing changes; no password is logged or audited; nobody is 404', async () => {
  await using stage = await setStage({ seed: signInSeed })
  const refused = async (json: unknown, says: RegExp) => {
    const answer = await stage.operator('PATCH', '/operator/users/101', json)
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.body.errors[0].message, says)
  }
  await refused({}, /at least one of .*password.*disabled/)
  await refused({ password: 'seven77' }, /password/)
  await refused(
    { password: '$argon2id$v=19$m=9999999,t=1,p=1$c2FsdHNhbHRzYWx0$4Smw+8uJE9vkMuQHTI8JCch07funn1w88/v1CwyXAOw', disabled: true },
    /argon2id/,
  )
  assert.equal((await login(stage, PASSWORD)).status, 200)
  await change(stage, { password: NEW_PASSWORD })
  const { text } = await auditedWhen(stage, 'updateUser')
  for (const written of [text, JSON.stringify(stage.log)]) assert.doesNotMatch(written, new RegExp(`${NEW_PASSWORD}|seven77|argon2`))
  for (const method of ['PATCH', 'DELETE']) {
    const answer = await stage.operator(method, '/operator/users/9', method === 'PATCH' ? { disabled: true } : undefined)
    assert.deepEqual([answer.status, answer.body.detail], [404, 'There is no user 9.'])
  }
})

test('a seed can hold a disabled user, and tells a difference', async () => {
  const [disabled, enabled] = [{ users: [{ ...ada, disabled: true }] }, { users: [{ ...ada, disabled: false }] }]
  await using stage = await setStage({ seed: { ...signInSeed, ...disabled } })
  assert.equal((await login(stage, PASSWORD)).status, 401)
  assert.deepEqual((await stage.operator('POST', '/operator/seed', enabled)).body.data.differing, [
    { kind: 'users', id: '101', fields: ['disabled'] },
  ])
})
