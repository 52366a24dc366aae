import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateApp } from '../../src/endpoints/operator/apps/apps.ts'
import type { AppStore } from '../../src/storage/apps.ts'
import { asClient, confidential, oauth2Seed, publicClient } from '../stage/oauth2.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { opened, rawRows } from '../storage/samples.ts'

const form = { grant_type: 'refresh_token', refresh_token: 'any' }

/** Whether a client is who it says: then the refresh token is what is wrong. */
const isClient = async (stage: Stage, client: { id: string; secret?: string }) => (await asClient(stage, client, form)).status === 400

const change = async (stage: Stage, id: string, json: object) => {
  const answer = await stage.operator('PATCH', `/operator/apps/${id}`, json)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

test('a client that becomes public loses its secret, and one that becomes confidential gets one, shown once', async () => {
  await using stage = await setStage({ seed: oauth2Seed })
  const open = await change(stage, '1', { oauth2_client_type: 'public' })
  assert.deepEqual([open.oauth2_client_type, open.oauth2_client_id, open.oauth2_client_secret], ['public', confidential.id, undefined])
  assert.equal(await isClient(stage, { id: confidential.id }), true)
  assert.equal(await isClient(stage, confidential), false)
  const closed = await change(stage, '1', { oauth2_client_type: 'confidential' })
  assert.equal(await isClient(stage, { id: confidential.id }), false)
  assert.equal(await isClient(stage, { id: confidential.id, secret: closed.oauth2_client_secret }), true)
  const same = await change(stage, '1', { oauth2_client_type: 'confidential', name: 'Renamed' })
  assert.equal(same.oauth2_client_secret, undefined)
  assert.equal(await isClient(stage, { id: confidential.id, secret: closed.oauth2_client_secret }), true)
})

test('a client secret that is rotated while another call changes the client stays', async () => {
  await using it = await opened('sqlite')
  const { apps } = it.storage
  const update: AppStore['update'] = async (...given) => {
    await apps.update('1', { oauth2ClientSecret: 'the rotated secret' })
    return apps.update(...given)
  }
  const call = { params: { app_id: '1', oauth2_client_type: 'confidential' }, noteInAudit() {} }
  const services = { apps: { ...apps, update }, now: () => 0, refusesWeakSecrets: true }
  const answer = await updateApp.handle(call as never, services as never)
  assert.equal((answer as { data: { oauth2_client_secret?: string } }).data.oauth2_client_secret, undefined)
  assert.equal((await apps.byId('1'))?.oauth2ClientSecret, 'the rotated secret')
})

test('a public client has no secret: none is taken, and none can be rotated', async () => {
  await using stage = await setStage({ seed: oauth2Seed })
  const rotated = await stage.operator('PATCH', '/operator/apps/2', { rotate_oauth2_client_secret: {} })
  assert.deepEqual([rotated.status, rotated.body.errors[0].message], [400, '$.rotate_oauth2_client_secret: a public client has no secret'])
  const json = { name: 'Wrong', oauth2_client_type: 'public', oauth2_client_secret: 'a-secret-of-16-characters' }
  const created = await stage.operator('POST', '/operator/apps', json)
  assert.deepEqual([created.status, created.body.errors[0].message], [400, '$.oauth2_client_secret: a public client has no secret'])
  assert.ok(!created.text.includes(json.oauth2_client_secret))
  assert.equal(await isClient(stage, publicClient), true)
})

test('an app from before there were clients gets one from the operator, or from its seed, and loading the seed again changes nothing', async () => {
  await using stage = await setStage({ seed: oauth2Seed })
  await stage.stop()
  await rawRows(
    stage.databaseUrl,
    'update apps set oauth2_client_id = null, oauth2_client_type = null, oauth2_client_secret_sealed = null returning id',
  )
  await stage.start()
  assert.equal(await isClient(stage, confidential), true)
  assert.equal(await isClient(stage, publicClient), true)
  const again = await stage.operator('POST', '/operator/seed', oauth2Seed)
  assert.deepEqual([again.status, again.body.data?.differing ?? again.body.differing], [200, []])
  const listed = await stage.operator('GET', '/operator/apps')
  assert.deepEqual(
    listed.body.data.map(({ oauth2_client_type }: { oauth2_client_type: string }) => oauth2_client_type),
    ['confidential', 'public', 'confidential'],
  )
  assert.ok(!listed.text.includes(confidential.secret!))
})

test('a seed whose client id another app has is refused by name', async () => {
  await using stage = await setStage({ seed: oauth2Seed })
  const answer = await stage.operator('POST', '/operator/seed', { apps: [{ name: 'Second', oauth2_client_id: confidential.id }] })
  assert.deepEqual([answer.status, answer.body.errors[0].message.split(':')[0]], [400, '$.apps.oauth2_client_id'])
})
