import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createWindowDelivery } from '../../src/delivery/replay/deliver-window.ts'
import { createClock } from '../../src/lib/clock.ts'
import type { Attempt, Delivery, EventLog } from '../../src/storage/event-log.ts'
import type { ReplayJob, ReplayJobStore } from '../../src/storage/replay-jobs.ts'
import { Unavailable } from '../../src/storage/unavailable.ts'
import type { WebhookStore } from '../../src/storage/webhooks.ts'

type Outcome = Attempt['outcome']

interface Window {
  /** The outcomes of the attempts for each event of the window, in the order of the events. */
  events: readonly (readonly Outcome[])[]
  isValid?: (delivered: number) => boolean
  isStopped?: (delivered: number) => boolean
  /** Whether this process may still record its progress. */
  holds?: (delivered: number) => boolean
  /** Takes place before each attempt, which it may fail. */
  before?: (sequence: number) => Promise<void>
}

/** Delivers a window whose events have these outcomes; answers how it ended, the attempts by event, and what was recorded last. */
async function deliver({ events, isValid = () => true, isStopped = () => false, holds = () => true, before = async () => {} }: Window) {
  const attempts = events.map(() => 0)
  let last: unknown[] = []
  const made = () => attempts.filter((count) => count > 0).length
  const run = createWindowDelivery({
    jobs: {
      progress: async (_worker: number, _id: string, progress: unknown) => {
        last = ['progress', progress]
        return holds(made())
      },
      finish: async (_worker: number, _id: string, state: string, progress: unknown) => {
        last = [state, progress]
        return holds(made())
      },
    } as unknown as ReplayJobStore,
    webhooks: { byId: async () => ({ valid: isValid(made()) }) } as unknown as WebhookStore,
    log: {
      range: async (_id: string, _from: number, _to: number, position: number, limit: number) =>
        events
          .map((_, at) => ({ sequence: at + 1, webhookId: '7' }) as Delivery)
          .filter(({ sequence }) => sequence > position)
          .slice(0, Math.min(limit, 2)),
      recordReplay: async () => {},
    } as unknown as EventLog,
    dispatcher: {
      replay: async ({ sequence }: Delivery) => {
        await before(sequence)
        const outcome = events[sequence - 1]![attempts[sequence - 1]!]!
        attempts[sequence - 1]! += 1
        return { outcome } as Attempt
      },
    },
    clock: createClock(),
    worker: 1,
    isStopped: () => isStopped(made()),
  })
  const job = { id: '1', webhookId: '7', fromMs: 0, toMs: 1, position: 0, delivered: 0, failed: 0 } as ReplayJob
  return { ended: await run(job), attempts, last }
}

test('each event of the window is tried, and once more if the attempt failed', async () => {
  const events = [['delivered'], ['failed', 'delivered'], ['failed', 'failed', 'delivered'], ['delivered'], ['not_sent']] as const
  assert.deepEqual(await deliver({ events }), {
    ended: 'incomplete',
    attempts: [1, 2, 2, 1, 1],
    last: ['incomplete', { position: 5, delivered: 3, failed: 2 }],
  })
})

test('a window of which every event was delivered is complete, as is an empty one', async () => {
  assert.deepEqual(await deliver({ events: [['delivered'], ['failed', 'delivered'], ['delivered']] }), {
    ended: 'complete',
    attempts: [1, 2, 1],
    last: ['complete', { position: 3, delivered: 3, failed: 0 }],
  })
  assert.deepEqual((await deliver({ events: [] })).ended, 'complete')
})

test('a window ends incomplete when its webhook turns invalid', async () => {
  const events = [['delivered'], ['delivered'], ['delivered']] as const
  assert.deepEqual(await deliver({ events, isValid: (made) => made < 2 }), {
    ended: 'incomplete',
    attempts: [1, 1, 0],
    last: ['incomplete', { position: 2, delivered: 2, failed: 0 }],
  })
})

test('a process that stops, or that another has taken the job from, ends nothing', async () => {
  const events = [['delivered'], ['delivered'], ['delivered']] as const
  assert.deepEqual(await deliver({ events, isStopped: (made) => made > 0 }), {
    ended: undefined,
    attempts: [1, 1, 0],
    last: ['progress', { position: 2, delivered: 2, failed: 0 }],
  })
  assert.deepEqual((await deliver({ events, holds: (made) => made < 2 })).attempts, [1, 1, 0])
  assert.deepEqual((await deliver({ events, holds: () => false })).attempts, [0, 0, 0], 'nothing is sent before it has looked')
  assert.equal((await deliver({ events: [], holds: () => false })).ended, undefined)
})

test('a page with a delivery that cannot be made ends with its last one, so that none is under way when the page is sent again', async () => {
  const late = Promise.withResolvers<void>()
  const events = [['delivered'], ['delivered']] as const
  const before = (sequence: number) => (sequence === 1 ? Promise.reject(new Unavailable('Another process has it.')) : late.promise)
  const ended = deliver({ events, before }).then(
    () => 'delivered',
    (error: Error) => error.message,
  )
  assert.equal(await Promise.race([ended, turn('under way')]), 'under way')
  late.resolve()
  assert.equal(await ended, 'Another process has it.')
})
