import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migratedDatabase } from '../stage/database.ts'
import { setStage } from '../stage/postern.ts'
import { refusalOf, sendSigned, signedInSeed } from '../stage/signed-calls.ts'
import { startSilentProxy } from '../stage/silent-proxy.ts'
import { rawRows } from '../storage/samples.ts'

test('a signed call whose connection to PostgreSQL breaks after its nonce was committed and before it knows is answered, and a replay of it meanwhile or later is refused', async () => {
  await using database = await migratedDatabase('postgres')
  const url = new URL(database.url)
  await using proxy = await startSilentProxy(Number(url.port))
  url.port = String(proxy.port)
  const environment = { POSTERN_DATABASE_URL: url.href, POSTERN_DATABASE_WAIT: '30s' }
  await using stage = await setStage({ environment, seed: signedInSeed })
  const send = () => sendSigned(stage, { oauth: { oauth_nonce: 'of-one-call' } })
  proxy.holdAnswerTo(/insert into nonces/)
  const answer = send()
  await stage.until(async () => Number((await rawRows(database.url, 'select count(*) as n from nonces'))[0]!.n) === 1)
  const meanwhile = send()
  proxy.breakAll()
  assert.deepEqual(refusalOf(await answer), [200, undefined])
  assert.deepEqual(refusalOf(await meanwhile), [401, 32])
  assert.deepEqual(refusalOf(await send()), [401, 32])
})
