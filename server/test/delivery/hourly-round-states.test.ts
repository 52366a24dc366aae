import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { createHourlyRound } from '../../src/delivery/hourly-round.ts'
import { createClock } from '../../src/lib/clock.ts'
import type { Change, Changes } from '../../src/storage/changes.ts'
import type { Webhook, WebhookStore } from '../../src/storage/webhooks.ts'

const MINUTE_MS = 60_000

type Question = 'claimDue' | 'nextDueMs'

/** The round over a store whose answers come when the test says so. */
async function stageRound() {
  const clock = createClock()
  let listener: (change: Change) => void = () => {}
  const asked: { question: Question; resolve(answer: unknown): void; reject(error: Error): void }[] = []
  const wait = (question: Question) => new Promise<unknown>((resolve, reject) => void asked.push({ question, resolve, reject }))
  const webhooks = { moveIntoHour: async () => {}, claimDue: () => wait('claimDue'), nextDueMs: () => wait('nextDueMs') }
  const changes: Changes = { listen: (listen) => (listener = listen), hearsAll: () => true }
  const challenged: string[] = []
  const round = createHourlyRound(
    webhooks as unknown as WebhookStore,
    changes,
    async (id) => {
      challenged.push(id)
      return { passed: true, secret: 0 }
    },
    clock,
    pino({ level: 'silent' }),
  )
  const stage = {
    challenged,
    asked: () => asked.map(({ question }) => question),
    async change(kind: 'webhook' | 'app' | 'everything' = 'webhook') {
      listener((kind === 'everything' ? { kind } : { kind, id: '1' }) as Change)
      await turn()
    },
    async answer(answer: unknown) {
      asked.shift()!.resolve(answer)
      await turn()
    },
    async fail() {
      asked.shift()!.reject(new Error('the database went away'))
      await turn()
    },
    async pass(ms: number) {
      clock.advance(ms)
      await turn()
    },
    inMs: (ms: number) => clock.now() + ms,
    stop: () => round.stop(),
  }
  const started = round.start()
  await turn()
  await stage.answer(stage.inMs(1000))
  await started
  return stage
}

const due = (...ids: string[]) => ids.map((id) => ({ id }) as Webhook)

test('what is due is claimed and challenged, and then the round waits for the next', async () => {
  const stage = await stageRound()
  assert.deepEqual(stage.asked(), [])
  await stage.pass(1100)
  assert.deepEqual(stage.asked(), ['claimDue'])
  await stage.answer(due('1', '2'))
  assert.deepEqual([stage.challenged, stage.asked()], [['1', '2'], ['nextDueMs']])
  await stage.answer(stage.inMs(5000))
  await stage.pass(4000)
  assert.deepEqual(stage.asked(), [])
  await stage.pass(1100)
  assert.deepEqual(stage.asked(), ['claimDue'])
})

test('a change of a webhook, or of everything, asks for the next due challenge; a change of an app does not', async () => {
  const stage = await stageRound()
  await stage.change('app')
  assert.deepEqual(stage.asked(), [])
  await stage.change('everything')
  assert.deepEqual(stage.asked(), ['nextDueMs'])
  await stage.answer(undefined)
  await stage.pass(5000)
  assert.deepEqual(stage.asked(), [], 'no webhook is left')
  await stage.change()
  await stage.answer(stage.inMs(0))
  await stage.pass(150)
  assert.deepEqual(stage.asked(), ['claimDue'])
})

test('a round that fails is tried again in a minute', async () => {
  const stage = await stageRound()
  await stage.pass(1100)
  await stage.fail()
  await stage.pass(MINUTE_MS - 1000)
  assert.deepEqual(stage.asked(), [])
  await stage.pass(1100)
  assert.deepEqual(stage.asked(), ['claimDue'])
})

test('a failure between rounds is tried again in a minute', async () => {
  const stage = await stageRound()
  await stage.change()
  await stage.fail()
  await stage.pass(MINUTE_MS - 1000)
  assert.deepEqual(stage.asked(), [])
  await stage.pass(1100)
  assert.deepEqual(stage.asked(), ['claimDue'])
})

test('after a failure a change of a webhook is enough, and fails like the round', async () => {
  const stage = await stageRound()
  await stage.pass(1100)
  await stage.fail()
  await stage.change()
  await stage.fail()
  await stage.change()
  await stage.answer(stage.inMs(2000))
  await stage.pass(2100)
  assert.deepEqual(stage.asked(), ['claimDue'])
  await stage.answer([])
  await stage.answer(undefined)
  await stage.pass(2 * MINUTE_MS)
  assert.deepEqual(stage.asked(), [])
})

test('once stopped it asks nothing, whatever it was doing', async () => {
  const waiting = await stageRound()
  await waiting.stop()
  const claiming = await stageRound()
  await claiming.pass(1100)
  const stopped = claiming.stop()
  await claiming.answer(due('1'))
  await stopped
  const failed = await stageRound()
  await failed.pass(1100)
  await failed.fail()
  await failed.stop()
  for (const stage of [waiting, claiming, failed]) {
    await stage.change()
    await stage.pass(2 * MINUTE_MS)
    assert.deepEqual(stage.asked(), [])
    await stage.stop()
  }
})
