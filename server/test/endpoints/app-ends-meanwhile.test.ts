import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../src/api/declare/problem.ts'
import { streamActivity } from '../../src/endpoints/activity/stream-activity.ts'
import { validateWebhook } from '../../src/endpoints/webhooks/webhooks.ts'
import { anApp, aWebhook } from '../storage/samples.ts'

const app = anApp()
/** What a call is told whose credentials were valid when it began. */
const refusedWith = (kind: string, code?: number) => (error: unknown) => {
  assert.ok(error instanceof Problem)
  assert.deepEqual([error.kind, error.code, error.headers], [kind, code, { 'www-authenticate': 'Bearer realm="postern"' }])
  return true
}

test('an app that is suspended while a PUT challenges its webhook is told so, and not that the webhook is unknown', async () => {
  const webhooks = { byId: async () => aWebhook({ appId: app.id }) }
  const services = { webhooks, revalidate: async () => 'postponed' }
  const request = { params: { webhook_id: '1' }, caller: { app } }
  await assert.rejects(async () => validateWebhook.handle(request as never, services as never), refusedWith('unauthorized', 416))
})

test('an app that is deleted while it connects to its stream gets a 401 that names the scheme', async () => {
  const services = { subscriptions: { count: async () => 1 }, streams: { open: async () => 'no-app' }, now: () => 0 }
  const request = { params: {}, request: { method: 'GET' }, caller: { app } }
  await assert.rejects(async () => streamActivity.handle(request as never, services as never), refusedWith('unauthorized'))
})
