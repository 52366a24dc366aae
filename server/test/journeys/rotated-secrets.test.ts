import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { bearerStatuses } from '../stage/operator-calls.ts'
import { type Pair, setPair } from '../stage/pair.ts'
import { demoApp, otherApp, type Stage } from '../stage/postern.ts'

const second = { ...demoApp, consumer_secret: 'the-second-consumer-secret' }
const third = { ...demoApp, consumer_secret: 'the-third-consumer-secret' }
const HOUR_MS = 3_600_000

const rotate = async (stage: Stage, { consumer_secret }: typeof demoApp, overlap: string) => {
  const answer = await stage.operator('PATCH', `/operator/apps/${demoApp.id}`, { rotate_secret: { consumer_secret, overlap } })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

const invalidate = async (stage: Stage, app: typeof demoApp, token: string) => {
  const authorization = `Basic ${btoa(`${app.consumer_key}:${app.consumer_secret}`)}`
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
  assert.equal((await stage.api('POST', '/oauth2/invalidate_token', { headers, body: `access_token=${token}` })).status, 200)
}

/** The bearer token, as each process has just looked it up. */
async function boughtBy(pair: Pair, app: typeof demoApp) {
  const token = await pair.one.token(app)
  assert.deepEqual(await bearerStatuses(pair, token), [200, 200])
  return token
}

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: without an overlap the bearer token of the old secret is refused everywhere at once, and others hold`, async () => {
    await using pair = await setPair({ flavour })
    const [old, foreign] = [await boughtBy(pair, demoApp), await boughtBy(pair, otherApp)]
    const { previous_secret_until } = await rotate(pair.other, second, '0s')
    assert.equal(previous_secret_until, null)
    assert.deepEqual(await bearerStatuses(pair, old), [401, 401])
    assert.deepEqual(await bearerStatuses(pair, foreign), [200, 200])
    await assert.rejects(pair.one.token(demoApp))
    assert.notEqual(await boughtBy(pair, second), old)
  })

  test(`${flavour}: with an overlap both secrets get one bearer token, which falls with the old secret`, async () => {
    await using pair = await setPair({ flavour })
    const old = await boughtBy(pair, demoApp)
    await rotate(pair.one, second, '1h')
    assert.deepEqual([await pair.other.token(demoApp), await pair.other.token(second)], [old, old])
    assert.deepEqual(await bearerStatuses(pair, old), [200, 200])
    pair.one.clock.advance(HOUR_MS)
    assert.deepEqual(await bearerStatuses(pair, old), [401, 401])
    const fresh = await boughtBy(pair, second)
    assert.notEqual(fresh, old)
    assert.equal(await pair.other.token(second), fresh)
  })

  test(`${flavour}: a bearer token that the new secret alone was given in the overlap outlives the old secret`, async () => {
    await using pair = await setPair({ flavour })
    const old = await boughtBy(pair, demoApp)
    await rotate(pair.one, second, '1h')
    await invalidate(pair.other, second, old)
    const fresh = await boughtBy(pair, second)
    pair.one.clock.advance(HOUR_MS)
    assert.deepEqual(await bearerStatuses(pair, fresh), [200, 200])
    assert.equal(await pair.other.token(second), fresh)
  })

  test(`${flavour}: a bearer token that the old secret was given in the overlap falls with it, whichever secret bought it`, async () => {
    await using pair = await setPair({ flavour })
    await rotate(pair.one, second, '1h')
    const token = await boughtBy(pair, second)
    assert.equal(await pair.other.token(demoApp), token)
    assert.deepEqual(await bearerStatuses(pair, token), [200, 200])
    pair.one.clock.advance(HOUR_MS)
    assert.deepEqual(await bearerStatuses(pair, token), [401, 401])
  })

  test(`${flavour}: a second rotation within the overlap ends the bearer token of the first secret at once`, async () => {
    await using pair = await setPair({ flavour })
    const old = await boughtBy(pair, demoApp)
    await rotate(pair.one, second, '24h')
    await rotate(pair.other, third, '24h')
    assert.deepEqual(await bearerStatuses(pair, old), [401, 401])
    assert.notEqual(await boughtBy(pair, second), old)
  })
}
