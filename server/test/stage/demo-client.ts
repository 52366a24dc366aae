import assert from 'node:assert/strict'
import type { Origins } from '../../src/assemble.ts'
import { call } from './call.ts'
import { OPERATOR_TOKEN } from './postern.ts'

/** The app of the demo seed. */
export const demo = { key: 'demo-consumer-key', secret: 'demo-consumer-secret-for-development-only' }

export async function demoToken({ base_url }: Origins): Promise<string> {
  const authorization = `Basic ${Buffer.from(`${demo.key}:${demo.secret}`).toString('base64')}`
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await call(`${base_url}/oauth2/token`, 'POST', { headers, body: 'grant_type=client_credentials' })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.access_token
}

/** Registers a callback and subscribes it to the direct messages of a user; answers the webhook's id. */
export async function subscribe(origins: Origins, url: string, userId: string): Promise<string> {
  const token = await demoToken(origins)
  const webhook = await call(`${origins.base_url}/2/webhooks`, 'POST', { token, json: { url } })
  assert.equal(webhook.status, 200, webhook.text)
  const json = { event_type: 'dm.received', filter: { user_id: userId }, webhook_id: webhook.body.data.id }
  assert.equal((await call(`${origins.base_url}/2/activity/subscriptions`, 'POST', { token, json })).status, 200)
  return webhook.body.data.id
}

/** `count` direct messages to a user. */
export const messages = (userId: string, count: number) =>
  Array.from({ length: count }, (_, n) => ({ event_type: 'dm.received', user_id: userId, payload: { n } }))

export const publish = ({ operator_url }: Origins, events: object[]) =>
  call(`${operator_url}/operator/events`, 'POST', { token: OPERATOR_TOKEN, json: { events } })
