import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setStage } from '../stage/postern.ts'
import { connectedTo } from '../storage/samples.ts'

test('an operator call is answered once it is in the audit log, so that no end of the process loses its entry', async () => {
  await using stage = await setStage({ flavour: 'postgres' })
  await using other = await connectedTo(stage.databaseUrl)
  await other.rows('begin')
  await other.rows('lock table audit_log in exclusive mode')
  let isAnswered = false
  const call = stage.operator('POST', '/operator/apps', { name: 'Late' }).finally(() => {
    isAnswered = true
  })
  await stage.until(async () => (await other.rows(`select 1 from apps where name = 'Late'`)).length > 0)
  assert.equal((await stage.operator('GET', '/operator/apps')).status, 200)
  assert.equal(isAnswered, false)
  await other.rows('commit')
  assert.equal((await call).status, 200)
  const { body } = await stage.operator('GET', '/operator/audit?action=createApp')
  assert.equal(body.data.length, 1)
})
