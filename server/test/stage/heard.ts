import assert from 'node:assert/strict'
import { eventMistakes } from '../../src/endpoints/events/check-event.ts'
import { isEventTypeName } from '../../src/endpoints/events/event-content.ts'
import { rawRows } from '../storage/samples.ts'
import { nameOf, usersSeed } from './content.ts'
import type { Flavour } from './database.ts'
import { demoApp, type Stage, setStage } from './postern.ts'
import { startReceiver } from './receiver.ts'

/** An event as a receiver got it. */
export interface Heard {
  event_type: string
  filter: { user_id?: string; direction?: 'sent' | 'received' }
  // biome-ignore lint/suspicious/noExplicitAny: each event type has members of its own
  payload: any
  // biome-ignore lint/suspicious/noExplicitAny: each event type has members of its own
  includes?: any
}

/** An event type and the user whom a subscription is about; with a direction. */
export type Wanted = readonly [eventType: string, userId: string, direction?: 'sent' | 'received']

const filterOf = ([, user_id, direction]: Wanted) => ({ user_id, ...(direction && { direction }) })

export const outboxOf = (url: string) => rawRows(url, 'select event_uuid, event_type, user_id from outbox')

const keyOf = ({ event_type, filter }: Heard) => `${event_type} ${filter.user_id} ${filter.direction ?? ''}`

/** What is to be written down of an event: its type and whom it is about. */
export const subjectsOf = (events: readonly Heard[]) => events.map(({ event_type, filter }) => `${event_type} ${filter.user_id}`)

/** Users of the demo app, and a receiver that is subscribed to events about them. */
export async function listening(flavour: Flavour, userIds: readonly string[], wanted: readonly Wanted[]) {
  await using begun = new AsyncDisposableStack()
  const environment = { POSTERN_RATE_LIMITS: 'off' }
  const stage = begun.use(await setStage({ flavour, environment, seed: usersSeed(...userIds) }))
  const receiver = begun.use(await startReceiver([demoApp.consumer_secret]))
  const token = await stage.token()
  const webhookId = await stage.register(receiver.url, token)
  for (const one of wanted) await stage.subscribe(webhookId, token, { event_type: one[0], filter: filterOf(one) })
  const owned = begun.move()
  return {
    stage,
    receiver,
    /** Everything that was announced until now, in the order of types, users and directions. Nothing is under way after it. */
    heard: () => everythingHeard(stage, receiver),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

export type Listening = Awaited<ReturnType<typeof listening>>

function mistakesOf({ event_type, filter: { user_id, direction }, payload, includes }: Heard) {
  assert.ok(isEventTypeName(event_type) && user_id !== undefined)
  return eventMistakes({ eventType: event_type, userId: user_id, direction, payload, includes })
}

async function everythingHeard(stage: Stage, receiver: { received(count: number): Promise<readonly { data?: object }[]> }) {
  await stage.until(async () => (await outboxOf(stage.databaseUrl)).length === 0)
  const { body } = await stage.operator('GET', '/operator/deliveries?max_results=1000')
  const notSent = (body.data as { state: string }[]).filter(({ state }) => state === 'not_sent')
  assert.deepEqual(notSent, [], 'a test waits for what was announced before it ends a consent')
  const events = (await receiver.received(body.data.length)).map(({ data }) => data as Heard)
  for (const event of events) assert.deepEqual(mistakesOf(event), [], `${event.event_type} is as its type declares`)
  return events.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

/** Counters as events have them: each as text too. */
export const countsOf = (counts: Record<string, number>): Record<string, number | string> => ({
  ...counts,
  ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${name}_str`, String(count)])),
})

/** A user of `usersSeed` as events have it, with these counters. */
export const userJson = (id: string, createdAt: string, metrics: Record<string, number> = {}, more: object = {}) => ({
  id,
  name: `User ${id}`,
  username: nameOf(id),
  created_at: createdAt,
  protected: false,
  verified: false,
  public_metrics: countsOf({
    followers_count: 0,
    following_count: 0,
    post_count: 0,
    listed_count: 0,
    like_count: 0,
    media_count: 0,
    ...metrics,
  }),
  ...more,
})
