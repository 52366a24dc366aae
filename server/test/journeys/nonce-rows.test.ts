import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Stage, setStage } from '../stage/postern.ts'
import { refusalOf, sendSigned, signedInSeed } from '../stage/signed-calls.ts'
import { rawRows } from '../storage/samples.ts'

const storedIn = async ({ databaseUrl }: Stage) => Number((await rawRows(databaseUrl, 'select count(*) as n from nonces'))[0]!.n)

test('a refused signature leaves no nonce: only who has valid credentials can make the table grow', async () => {
  await using stage = await setStage({ seed: signedInSeed })
  const refusals = [
    await sendSigned(stage, { consumer_secret: 'a wrong one' }),
    await sendSigned(stage, { oauth_token: 'unknown' }),
    await sendSigned(stage, { nowMs: stage.clock.now() - 3_600_000 }),
    await sendSigned(stage, { oauth: { oauth_nonce: 'n'.repeat(256) } }),
  ]
  assert.deepEqual(
    refusals.map(({ status }) => status),
    [401, 401, 401, 401],
  )
  assert.equal(await storedIn(stage), 0)
  await sendSigned(stage)
  assert.equal(await storedIn(stage), 1)
})

test('a reset removes used nonces', async () => {
  await using stage = await setStage({ seed: signedInSeed })
  assert.deepEqual(refusalOf(await sendSigned(stage)), [200, undefined])
  assert.ok((await stage.operator('POST', '/operator/reset')).status < 300)
  assert.equal(await storedIn(stage), 0)
})
