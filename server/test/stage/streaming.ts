import assert from 'node:assert/strict'
import type { Flavour } from './database.ts'
import { type Stage, setStage } from './postern.ts'
import { connectTo, openStream, type StreamClient } from './stream-client.ts'

/** Creates a subscription without a webhook; answers its id. */
export async function subscribeStream(stage: Stage, token: string, more: Record<string, unknown> = {}): Promise<string> {
  const json = { event_type: 'dm.received', filter: { user_id: '101' }, ...more }
  const answer = await stage.api('POST', '/2/activity/subscriptions', { token, json })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.subscription.subscription_id
}

/** A stage with an app that has a subscription of its stream, to the direct messages of user 101. */
export async function streaming(flavour: Flavour = 'sqlite') {
  const stage = await setStage({ flavour, environment: { POSTERN_RATE_LIMITS: 'off' } })
  const token = await stage.token()
  const subscriptionId = await subscribeStream(stage, token, { tag: 'mine' })
  return { stage, token, subscriptionId, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() }
}

/** Connects to the stream, which must succeed. */
export const open = (stage: Stage, token: string, query = '') => openStream(stage.origins.base_url, token, query)

/** Connects as soon as a former connection does not count any more. */
export const reconnect = (stage: Stage, token: string, query = ''): Promise<StreamClient> =>
  stage.until(async () => {
    const client = await connectTo(stage.origins.base_url, token, query)
    return client.status === 200 && client
  })

/** Payloads of events with these numbers. */
export const numbered = (from: number, count: number) => Array.from({ length: count }, (_, place) => ({ n: from + place }))
