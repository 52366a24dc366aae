// A newer version starts beside this one: its migrations add columns while this process has planned statements for the tables as they were.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call } from '../stage/call.ts'
import { credentialsAt } from '../stage/hostile/credentials.ts'
import { endpoints, validRequest } from '../stage/hostile/valid-requests.ts'
import { demoApp, OPERATOR_TOKEN, otherApp, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { rawRows } from '../storage/samples.ts'

/** They take away what the others need, or answer after their wait. */
const LEFT = ['reset', 'restoreSnapshot', 'createFault', 'deleteApp']

const addColumns = `do $$ declare each record; begin
  for each in select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' loop
    execute format('alter table %I add column of_next_release text', each.table_name);
  end loop; end $$`

test('postgres: no call fails because a newer version has added a column to every table', async () => {
  const environment = { POSTERN_RATE_LIMITS: 'off', POSTERN_DATABASE_WAIT: '10s' }
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await using stage = await setStage({ flavour: 'postgres', environment, seed: { apps: [demoApp, otherApp] }, unused: true })
  const token = await stage.token()
  const webhookId = await stage.register(receiver.url, token)
  await stage.subscribe(webhookId, token)
  const credentials = await credentialsAt(stage.origins.base_url, demoApp, OPERATOR_TOKEN)

  const callAll = async () => {
    const failed: string[] = []
    for (const endpoint of endpoints.filter(({ name }) => !LEFT.includes(name))) {
      const { method, path, query, headers, members, body } = validRequest(endpoint, credentials)
      const json = members && `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`
      const url = `${stage.origins.base_url}${path}${query && `?${query}`}`
      const { status, text } = await call(url, method, { headers: Object.fromEntries(headers.slice(1)), body: json ?? body })
      if (status >= 500) failed.push(`${endpoint.name} ${status} ${text}`)
    }
    await stage.publish({ text: 'to a webhook' })
    await stage.api('PUT', `/2/webhooks/${webhookId}`, { token })
    return failed
  }

  for (let round = 0; round < 3; round += 1) assert.deepEqual(await callAll(), [])
  await rawRows(stage.databaseUrl, addColumns)
  for (let round = 0; round < 2; round += 1) assert.deepEqual(await callAll(), [])
  const challenges = receiver.challenges
  stage.clock.advance(3_600_000)
  await receiver.when(() => receiver.challenges > challenges)
  await receiver.when(() => receiver.posts >= 5)
  assert.deepEqual(
    stage.log.filter(({ level }) => level >= 50),
    [],
  )
})
