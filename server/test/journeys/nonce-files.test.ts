import assert from 'node:assert/strict'
import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { call } from '../stage/call.ts'
import { headerOf, oauthParameters } from '../stage/oauth-client.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { adas, refusalOf, sendSigned, signedInSeed, VERIFY } from '../stage/signed-calls.ts'

const folderOf = (stage: Stage) => `${stage.databaseUrl.slice('sqlite:'.length)}.nonces`

/** A signed call that can be sent again. */
function signedOnce(stage: Stage) {
  const url = stage.origins.base_url + VERIFY
  const headers = { authorization: headerOf(oauthParameters({ ...adas, url })) }
  return () => call(url, 'GET', { headers })
}

test('a signed call whose nonce cannot be stored is answered 503, and the same call is served once it can be', async () => {
  await using stage = await setStage({ flavour: 'sqlite', seed: signedInSeed })
  const send = signedOnce(stage)
  await writeFile(folderOf(stage), 'not a folder')
  const refused = await send()
  assert.equal(refused.status, 503)
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
  assert.doesNotMatch(refused.text, /nonces|ENOTDIR|EEXIST/)
  await stage.logged('the database cannot be used', 1)
  await rm(folderOf(stage))
  assert.deepEqual(refusalOf(await send()), [200, undefined])
  assert.deepEqual(refusalOf(await send()), [401, 32])
})

test('once a nonce could not be stored the server is not ready until one can be, also without another signed call', async () => {
  await using stage = await setStage({ flavour: 'sqlite', seed: signedInSeed })
  const readyz = async () => {
    stage.clock.advance(1000)
    const { status, body } = await call(`${stage.origins.operator_url}/readyz`, 'GET')
    return { status, body }
  }
  await writeFile(folderOf(stage), 'not a folder')
  assert.equal((await sendSigned(stage)).status, 503)
  assert.deepEqual(await readyz(), { status: 503, body: { ready: false, failed: ['state'] } })
  await rm(folderOf(stage))
  assert.deepEqual(await readyz(), { status: 200, body: { ready: true } })
  assert.deepEqual(await readdir(folderOf(stage)), [])
})

test('a refused signature leaves no nonce: only who has valid credentials can make the files grow', async () => {
  await using stage = await setStage({ flavour: 'sqlite', seed: signedInSeed })
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
  await assert.rejects(stat(folderOf(stage)), { code: 'ENOENT' })
  await sendSigned(stage)
  assert.equal((await readdir(folderOf(stage))).length, 1)
})

test('after the clock was moved by 25h the files of before are gone with the next signed call', async () => {
  await using stage = await setStage({ flavour: 'sqlite', seed: signedInSeed })
  await sendSigned(stage)
  const [former] = await readdir(folderOf(stage))
  assert.equal((await stage.operator('POST', '/operator/clock', { advance: '25h' })).status, 200)
  assert.deepEqual(refusalOf(await sendSigned(stage)), [200, undefined])
  const files = await readdir(folderOf(stage))
  assert.equal(files.length, 1)
  assert.notEqual(files[0], former)
})

test('a reset removes the files of used nonces', async () => {
  await using stage = await setStage({ flavour: 'sqlite', seed: signedInSeed })
  await sendSigned(stage)
  assert.equal((await readdir(folderOf(stage))).length, 1)
  assert.ok((await stage.operator('POST', '/operator/reset')).status < 300)
  assert.deepEqual(await readdir(folderOf(stage)), [])
})
