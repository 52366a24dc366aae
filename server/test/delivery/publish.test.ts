import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPublisher } from '../../src/delivery/publish.ts'
import type { UsageCounts } from '../../src/storage/apps.ts'
import type { Accepted, EventLog, NewEvent } from '../../src/storage/event-log.ts'
import type { Candidate, SubscriptionStore } from '../../src/storage/subscriptions.ts'

interface Receiving {
  webhookId: string
  appId?: string
  valid?: boolean
  suspended?: boolean
  isCounted?: boolean
  streamedAtMs?: number | null
  quotas?: Candidate['quotas']
}

/** What apps have been given this month. */
let used: Record<string, UsageCounts> = {}

const candidate = ({
  webhookId,
  appId = '1',
  valid = true,
  suspended = false,
  isCounted = true,
  streamedAtMs = null,
  quotas = null,
}: Receiving) =>
  ({
    subscription: { id: webhookId, appId, eventType: 'dm.received', filter: { userId: '101' }, tag: null },
    webhook: { id: webhookId, valid },
    streamedAtMs,
    appSuspended: suspended,
    isCounted,
    quotas,
    consent: { access: 'read_write_dm', grants: [] },
  }) as unknown as Candidate

/** Publishes events of user 101, of which some were published before; answers what was appended, reported and counted. */
async function publish(receiving: readonly Receiving[], ...repeated: boolean[]) {
  const steps: unknown[] = []
  let appended: readonly NewEvent[] = []
  const publisher = createPublisher({
    subscriptions: { candidates: async () => receiving.map(candidate) } as unknown as SubscriptionStore,
    log: {
      append: async (events: readonly NewEvent[]) => {
        appended = events
        steps.push('append')
        return events.map((_, at) => ({ eventUuid: String(at), repeated: repeated[at] }) as Accepted)
      },
    } as unknown as EventLog,
    respell: (_, content) => content,
    appending: () => void steps.push('appending'),
    accepted: (events, keptBack) => void steps.push({ events, keptBack }),
    countUsage: async (counts) =>
      void steps.push({ appIds: [...counts].flatMap(([appId, { deliveries }]) => Array(deliveries).fill(appId)).sort() }),
    usage: { of: async () => new Map(Object.entries(used)) },
    now: () => 0,
  })
  const event = { eventType: 'dm.received', userId: '101', payload: { a: 1 } }
  const results = await publisher.publish(repeated.map(() => event))
  return {
    steps,
    results: results.map(({ subscriptions, deliveries, keptBack }) => ({ subscriptions, deliveries, keptBack })),
    streams: appended.map(({ streams }) => streams?.map(({ appId }) => appId)),
    targets: appended.map(({ targets }) => targets.map(({ webhookId, notSent }) => [webhookId, notSent])),
  }
}

test('an event is appended with a delivery for each webhook, with the reason where it is not sent', async () => {
  const { targets } = await publish([{ webhookId: '1' }, { webhookId: '2', valid: false }, { webhookId: '3', suspended: true }], false)
  assert.deepEqual(targets, [
    [
      ['1', undefined],
      ['2', 'webhook invalid'],
      ['3', 'app suspended'],
    ],
  ])
})

test('new events are reported after they were appended, with how many of their deliveries are kept back', async () => {
  const receiving = [{ webhookId: '1' }, { webhookId: '2', valid: false, isCounted: false }, { webhookId: '3', suspended: true }]
  const { steps } = await publish(receiving, false, true, false)
  assert.deepEqual(steps, ['appending', 'append', { events: 2, keptBack: 4 }, { appIds: ['1', '1'] }])
  assert.deepEqual((await publish([], true)).steps, ['appending', 'append', { events: 0, keptBack: 0 }])
})

test('of an event that was published before nothing is told; of a new one how many matched, and what is kept back', async () => {
  const receiving = [{ webhookId: '1' }, { webhookId: '2', valid: false }, { webhookId: '3' }]
  const { results } = await publish(receiving, true, false)
  assert.deepEqual(results, [
    { subscriptions: 0, deliveries: 0, keptBack: [] },
    { subscriptions: 3, deliveries: 3, keptBack: [{ webhookId: '2', reason: 'webhook invalid' }] },
  ])
  const alone = await publish([{ webhookId: '2', valid: false }], false)
  assert.deepEqual(alone.results, [{ subscriptions: 1, deliveries: 1, keptBack: [{ webhookId: '2', reason: 'webhook invalid' }] }])
})

test('usage is counted by app, for deliveries that are sent and apps that have a cap', async () => {
  const receiving = [
    { webhookId: '1', appId: '1' },
    { webhookId: '2', appId: '2', isCounted: false },
    { webhookId: '3', appId: '3', valid: false },
    { webhookId: '4', appId: '4' },
  ]
  assert.deepEqual((await publish(receiving, false)).steps.at(-1), { appIds: ['1', '4'] })
  const uncounted = receiving.map((each) => ({ ...each, isCounted: false }))
  assert.deepEqual((await publish(uncounted, false)).steps.at(-1), { events: 1, keptBack: 1 })
})

test('an event on the stream of an app counts once, whether its webhook is valid or not; none of a suspended app does', async () => {
  const receiving = [
    { webhookId: '1', appId: '1', streamedAtMs: 0 },
    { webhookId: '2', appId: '2', streamedAtMs: 0, valid: false },
    { webhookId: '3', appId: '3', streamedAtMs: 0, suspended: true },
  ]
  assert.deepEqual((await publish(receiving, false)).steps.at(-1), { appIds: ['1', '2'] })
})

test('an event is appended with the apps whose streams bring it, and without such a list where none does', async () => {
  const streaming = [{ webhookId: '1', appId: '5', streamedAtMs: 0 }]
  assert.deepEqual((await publish(streaming, false)).streams, [['5']])
  assert.deepEqual((await publish([{ webhookId: '1' }], false)).streams, [undefined])
})

test('a batch stops at the quota of an app: the rest is kept for replay, and what other apps get is as ever', async (context) => {
  context.after(() => {
    used = {}
  })
  used = { 1: { events: 5, deliveries: 8 } }
  const both = (quotas: Candidate['quotas']) => [
    { webhookId: '1', quotas },
    { webhookId: '2', quotas },
    { webhookId: '3', appId: '2' },
  ]
  const reasons = async (quotas: Candidate['quotas']) =>
    (await publish(both(quotas), false, false, false)).targets.map((targets) => targets.map(([, notSent]) => notSent))
  assert.deepEqual(await reasons({ events: 7, deliveries: null }), [
    [undefined, undefined, undefined],
    [undefined, undefined, undefined],
    ['quota', 'quota', undefined],
  ])
  assert.deepEqual(await reasons({ events: null, deliveries: 11 }), [
    [undefined, undefined, undefined],
    [undefined, 'quota', undefined],
    ['quota', 'quota', undefined],
  ])
  assert.deepEqual(await reasons({ events: 0, deliveries: 100 }), Array(3).fill(['quota', 'quota', undefined]))
  const { steps } = await publish(both({ events: 6, deliveries: null }), false, false)
  assert.deepEqual(steps.slice(-2), [{ events: 2, keptBack: 2 }, { appIds: ['1', '1', '2', '2'] }])
})
