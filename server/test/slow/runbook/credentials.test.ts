// The rows of docs/runbook-apps.md about credentials, each tried by making its fault.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../../stage/call.ts'
import { demoApp, setStage } from '../../stage/postern.ts'
import { startReceiver } from '../../stage/receiver.ts'
import { openRunbook, runbookOptions } from '../../stage/runbook.ts'
import { adas, refusalOf, sendSigned, signedInSeed } from '../../stage/signed-calls.ts'

const environment = { POSTERN_OPERATOR_PORT: '0' }

test('Wrong credentials in numbers, The secret of an app was stolen, Tokens of users have leaked', runbookOptions, async () => {
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await using stage = await setStage({ environment, seed: signedInSeed })
  await using book = await openRunbook({ operatorUrl: stage.origins.operator_url, lines: () => stage.log })
  const { token } = await stage.connect(receiver)

  const wrong = book.row('Wrong credentials in numbers')
  for (let n = 0; n < 5; n += 1) await call(`${stage.origins.operator_url}/operator/apps`, 'GET', { token: `wrong-${n}` })
  assert.equal((await sendSigned(stage, { consumer_secret: 'wrong' })).status, 401)
  const counted = await wrong.paste('postern_wrong_credentials_total')
  wrong.says(counted, 'operator_token')
  assert.match(counted, /postern_wrong_credentials_total\{kind="operator_token"\} 5\n/)
  assert.match(counted, /"kind":"operator_token","address":"127\.0\.0\.1","count":5/)
  assert.match(await wrong.paste('postern_wrong_credentials_total'), /kind="operator_token"\} 5\n/)

  const leaked = book.row('Tokens of users have leaked')
  await book.set({ TOKEN: adas.oauth_token, USER_ID: '101' })
  assert.equal((await sendSigned(stage)).status, 200)
  const revoked = await leaked.paste('"token"')
  leaked.says(revoked, '"revoked":1', 'user_id', 'app_id')
  assert.match(revoked, /"app_id":"1","user_id":"101"/)
  assert.deepEqual(refusalOf(await sendSigned(stage)), [401, 89])
  assert.match(await leaked.paste('/operator/sessions'), /"revoked":1/)
  assert.match(await leaked.run('/consents'), /"data":\[\]/)

  const stolen = book.row('The secret of an app was stolen')
  await book.set({ APP: demoApp.id })
  const rotated = JSON.parse(await stolen.paste('rotate_secret'))
  stolen.says(JSON.stringify(rotated), 'consumer_secret')
  assert.equal((await stage.api('GET', '/2/webhooks', { token })).status, 401)
  assert.match(await stolen.paste('tokens/revoke'), /"revoked":\d/)
  const fresh = await stage.token({ ...demoApp, consumer_secret: rotated.consumer_secret })
  const audit = await stolen.paste('/operator/audit')
  stolen.says(audit, 'changes')
  assert.match(audit, /"action":"updateApp","changes":\[\{"field":"consumer_secret","before":null,"after":null\}/)
  await using theirs = await startReceiver([rotated.consumer_secret])
  await stage.subscribe(await stage.register(theirs.url, fresh), fresh, { event_type: 'follow.follow' })
  const events = [{ event_type: 'follow.follow', user_id: '101', payload: {} }]
  assert.equal((await stage.operator('POST', '/operator/events', { events })).status, 202)
  await theirs.received(1)
  book.assertAllPasted()
})
