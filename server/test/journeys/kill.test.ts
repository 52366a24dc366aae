import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Origins } from '../../src/assemble.ts'
import { flavours, freshDatabase } from '../stage/database.ts'
import { call, OPERATOR_TOKEN } from '../stage/postern.ts'
import { PosternProcess } from '../stage/postern-process.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'

const DEMO = { key: 'demo-consumer-key', secret: 'demo-consumer-secret-for-development-only' }
const KILLS = 3
const EVENTS_A_REQUEST = 20

async function bearer({ base_url }: Origins) {
  const authorization = `Basic ${Buffer.from(`${DEMO.key}:${DEMO.secret}`).toString('base64')}`
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
  return (await call(`${base_url}/oauth2/token`, 'POST', { headers, body: 'grant_type=client_credentials' })).body.access_token as string
}

async function subscribe({ base_url }: Origins, url: string) {
  const token = await bearer({ base_url } as Origins)
  const webhook = await call(`${base_url}/2/webhooks`, 'POST', { token, json: { url } })
  assert.equal(webhook.status, 200, webhook.text)
  const json = { event_type: 'dm.received', filter: { user_id: '101' }, webhook_id: webhook.body.data.id }
  assert.equal((await call(`${base_url}/2/activity/subscriptions`, 'POST', { token, json })).status, 200)
}

/** Publishes until the server is gone; notes every event that it accepted. */
async function publishUntilGone({ operator_url }: Origins, accepted: Set<string>, signal: AbortSignal) {
  const events = Array.from({ length: EVENTS_A_REQUEST }, (_, n) => ({ event_type: 'dm.received', user_id: '101', payload: { n } }))
  while (!signal.aborted) {
    const answer = await call(`${operator_url}/operator/events`, 'POST', { token: OPERATOR_TOKEN, json: { events } }).catch(() => undefined)
    if (answer === undefined) return
    assert.equal(answer.status, 202, answer.text)
    for (const { event_uuid } of answer.body.data) accepted.add(event_uuid)
  }
}

for (const flavour of flavours) {
  test(`${flavour}: after kill -9 while events are being accepted, nothing that was accepted is missing`, async ({ signal }) => {
    await using database = await freshDatabase(flavour)
    await using receiver = await startReceiver([DEMO.secret])
    const folder = await mkdtemp(join(tmpdir(), 'postern-kill-'))
    const environment = { POSTERN_DATABASE_URL: database.url, POSTERN_LOG_LEVEL: 'info', POSTERN_RETRY_PLAN: '200ms,200ms,200ms,1s' }
    const accepted = new Set<string>()
    let posts = 0
    receiver.intercept = (request, response) => request.method === 'POST' && ++posts % 10 === 0 && answerWith(response, 500)

    let postern = new PosternProcess(environment, folder)
    let origins = await postern.ready()
    await subscribe(origins, receiver.url)
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const publishing = [publishUntilGone(origins, accepted, signal), publishUntilGone(origins, accepted, signal)]
      await receiver.received(receiver.events.length + 150 * kill)
      await postern.end('SIGKILL')
      await Promise.all(publishing)
      postern = new PosternProcess(environment, folder)
      origins = await postern.ready()
    }
    const missing = () => accepted.difference(new Set(receiver.events.map((event) => event.data?.event_uuid ?? '')))
    await receiver.when(() => receiver.events.length >= accepted.size && missing().size === 0)
    assert.ok(accepted.size > 400)
    assert.equal(await postern.end('SIGTERM'), 0)
    await rm(folder, { recursive: true })
  })
}
