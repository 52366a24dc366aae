import assert from 'node:assert/strict'
import type { Origins } from '../../src/assemble.ts'
import { formatMinute } from '../../src/endpoints/webhooks/start-replay.ts'
import { call } from './call.ts'
import type { CountedCallback, CountingReceiver } from './counting-receiver.ts'
import { demoToken, messages, publish, subscribe } from './demo-client.ts'
import { OPERATOR_TOKEN } from './postern.ts'

const MINUTE_MS = 60_000
const LIVE_USER = '101'
const REPLAYED_USER = '102'
const EVENTS_A_REQUEST = 20
const PUBLISHERS = 2
/** What may be accepted and not yet received: enough to park the webhook now and then. */
const MOST_OUTSTANDING = 600

/** What a process has to do, over all of its lives, and what came of it. */
export interface KillLoad {
  receiver: CountingReceiver
  /** Gets what is published, and fails now and then. */
  live: CountedCallback
  /** Gets replays, of so many events. */
  replay: CountedCallback
  replayed: number
  webhookId: string
  window: { from_date: string; to_date: string }
  /** The events that were accepted. */
  accepted: Set<string>
  /** The replays. */
  jobs: string[]
}

export interface ReplayEnd {
  state: string
  delivered: number
  failed: number
  reported: boolean
}

/** How many events came, replayed ones among them. */
export const came = ({ live, replay }: KillLoad) => live.times.length + replay.times.length

/** How many events were accepted and never came. */
export const missingOf = ({ accepted, live }: KillLoad) => accepted.difference(new Set(live.counts.keys())).size

/** Fills the webhook to replay, which gets nothing after that but replays. */
export async function fillReplayed(load: KillLoad, origins: Origins) {
  const { receiver, replay, live, replayed } = load
  await subscribe(origins, live.url, LIVE_USER)
  load.webhookId = await subscribe(origins, replay.url, REPLAYED_USER)
  const from_date = formatMinute(Date.now())
  for (let left = replayed; left > 0; left -= 1000)
    assert.equal((await publish(origins, messages(REPLAYED_USER, Math.min(left, 1000)))).status, 202)
  await receiver.when(() => replay.counts.size === replayed)
  load.window = { from_date, to_date: formatMinute(Date.now() + MINUTE_MS) }
}

/** Publishes one request after another. */
async function publishInTurn(load: KillLoad, origins: Origins, isGone: () => boolean) {
  const { receiver, live, accepted } = load
  while (!isGone()) {
    await receiver.when(() => isGone() || accepted.size - live.counts.size < MOST_OUTSTANDING)
    const answer = await publish(origins, messages(LIVE_USER, EVENTS_A_REQUEST)).catch(() => undefined)
    if (answer === undefined) return
    assert.equal(answer.status, 202, answer.text)
    for (const { event_uuid } of answer.body.data) accepted.add(event_uuid)
  }
}

/** Publishes until the process is gone, and notes every event that was accepted. */
export const publishUntilGone = (load: KillLoad, origins: Origins, isGone: () => boolean) =>
  Promise.all(Array.from({ length: PUBLISHERS }, () => publishInTurn(load, origins, isGone)))

/** How far a replay is. */
export const replayOf = async ({ operator_url }: Origins, jobId: string): Promise<ReplayEnd> =>
  (await call(`${operator_url}/operator/replays/${jobId}`, 'GET', { token: OPERATOR_TOKEN })).body.data

/** Begins a replay unless one is under way. */
export async function keepReplaying(load: KillLoad, origins: Origins) {
  const last = load.jobs.at(-1)
  if (last !== undefined && !(await replayOf(origins, last)).reported) return
  const json = { webhook_id: load.webhookId, ...load.window }
  const answer = await call(`${origins.base_url}/2/webhooks/replay`, 'POST', { token: await demoToken(origins), json })
  assert.equal(answer.status, 200, answer.text)
  load.jobs.push(answer.body.job_id)
}
