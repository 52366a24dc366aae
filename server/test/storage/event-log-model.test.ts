import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { momentOf, sequenceAt, sequenceOf } from '../../src/lib/ids.ts'
import type { Attempt, Delivery, DeliveryReport, EndedState } from '../../src/storage/event-log.ts'
import { cases } from '../stage/cases.ts'
import { createRandom } from '../stage/random.ts'
import { type Carrier, carriersOf, event, logOfThree, MINUTE_MS, readAll, stageLog } from './event-log-stage.ts'

const STEPS = cases(100, 200)
const CHECKED_EVERY = 25
const WEBHOOKS = ['1', '2', '3']
const ALL = 10_000
const JOBS = ['501', '502']
const ENDED: readonly EndedState[] = ['delivered', 'given_up', 'not_sent']

const attemptOf = (atMs: number, fields: Partial<Attempt>): Attempt => ({
  atMs,
  latencyMs: 12.5,
  timing: '2,5,12,40',
  status: 200,
  outcome: 'delivered',
  error: '',
  response: 'ok',
  ...fields,
})

const failedFields = { status: 500, outcome: 'failed', error: 'answered 500', response: '{"why":"h\u00e9"}' } as const
const notSentFields = { latencyMs: 0, timing: '', status: null, outcome: 'not_sent', response: '' } as const

interface Key {
  sequence: number
  webhookId: string
}

const keyOf = ({ sequence, webhookId }: Key) => `${sequence} ${webhookId}`

/** What a log has to report, as plain objects: the events that are not trimmed, and their deliveries. */
function createModel(logOf: (webhookId: string) => number) {
  /** With the logs that have it. */
  const events = new Map<number, Set<number>>()
  const deliveries = new Map<string, DeliveryReport>()
  const all = () => [...deliveries.values()]
  const isOpen = ({ state }: DeliveryReport) => state === 'pending' || state === 'retrying'
  const isOpenAt = (report: DeliveryReport | undefined) => report !== undefined && isOpen(report)
  const ownAttempts = ({ attempts }: DeliveryReport) => attempts.filter(({ replayJobId }) => replayJobId === null)

  return {
    all,
    of: (key: Key) => deliveries.get(keyOf(key))!,
    open: () => all().filter(isOpen),
    newestFirst: () => all().toSorted((a, b) => b.sequence - a.sequence || Number(a.webhookId) - Number(b.webhookId)),
    accept(eventUuid: string, targets: readonly { webhookId: string; notSent?: string }[], nowMs: number) {
      const sequence = sequenceOf(eventUuid)!
      events.set(sequence, new Set(targets.length === 0 ? [0] : targets.map(({ webhookId }) => logOf(webhookId))))
      for (const { webhookId, notSent } of targets) {
        const attempts =
          notSent === undefined ? [] : [{ n: 1, replayJobId: null, ...attemptOf(nowMs, { ...notSentFields, error: notSent }) }]
        deliveries.set(keyOf({ sequence, webhookId }), {
          sequence,
          eventUuid,
          eventType: 'post.create',
          userId: '101',
          webhookId,
          acceptedAtMs: momentOf(sequence),
          nextTryAtMs: null,
          state: notSent === undefined ? 'pending' : 'not_sent',
          attempts,
        })
      }
    },
    attempted(key: Key, attempt: Attempt, retryAtMs: number | null) {
      const report = deliveries.get(keyOf(key))!
      report.attempts.push({ n: ownAttempts(report).length + 1, replayJobId: null, ...attempt })
      report.nextTryAtMs = retryAtMs
      const ended = attempt.outcome === 'failed' ? 'given_up' : attempt.outcome
      report.state = retryAtMs === null ? ended : 'retrying'
    },
    replayed(key: Key, replayJobId: string, attempt: Attempt) {
      const report = deliveries.get(keyOf(key))!
      const n = report.attempts.filter((earlier) => earlier.replayJobId === replayJobId).length + 1
      report.attempts.push({ n, replayJobId, ...attempt })
    },
    reopened(webhookId: string, states: readonly EndedState[], dueMs: number): number {
      const found = all().filter((report) => report.webhookId === webhookId && states.includes(report.state as EndedState))
      for (const report of found) Object.assign(report, { state: 'retrying', nextTryAtMs: dueMs })
      return found.length
    },
    trimmed(beforeMs: number): number {
      let gone = 0
      for (const [sequence, logs] of events) {
        const open = new Set(WEBHOOKS.filter((webhookId) => isOpenAt(deliveries.get(keyOf({ sequence, webhookId })))).map(logOf))
        for (const log of sequence < sequenceAt(beforeMs) ? [...logs].filter((one) => !open.has(one)) : []) {
          gone += 1
          logs.delete(log)
          for (const webhookId of WEBHOOKS) if (logOf(webhookId) === log) deliveries.delete(keyOf({ sequence, webhookId }))
        }
      }
      return gone
    },
    range: (webhookId: string, fromMs: number) =>
      all()
        .filter((report) => report.webhookId === webhookId && report.acceptedAtMs >= fromMs)
        .toSorted((a, b) => a.sequence - b.sequence)
        .map((report) => [report.sequence, ownAttempts(report).length]),
  }
}

function modelTests(flavour: Carrier) {
  for (const seed of [1, 2, 3].slice(0, cases(2, 3)))
    test(`whatever is done with deliveries, reports, ranges and trims are those of a plain model (seed ${seed})`, async () => {
      let nowMs = createClock().now()
      const startedMs = nowMs
      await using stage = await stageLog(flavour, { ...createClock(), now: () => nowMs })
      const random = createRandom(seed)
      const below = (limit: number) => Math.floor(random() * limit)
      const oneOf = <T>(values: readonly T[]): T | undefined => values[below(values.length)]
      const model = createModel(flavour === 'three logs' ? logOfThree : () => 0)
      /** Held and not acknowledged. */
      let held: Delivery[] = []

      const hold = (deliveries: readonly Delivery[]) => {
        for (const delivery of deliveries) {
          const expected = model.of(delivery)
          assert.ok(expected.state === 'pending' || expected.state === 'retrying', `an ended delivery was handed out: ${expected.state}`)
          assert.ok(!held.some((other) => keyOf(other) === keyOf(delivery)), 'a held delivery was handed out')
          assert.equal(delivery.attempts, expected.attempts.filter(({ replayJobId }) => replayJobId === null).length)
          held.push(delivery)
        }
      }
      const holdNew = () => hold(stage.held.splice(0))
      const webhook = () => oneOf(WEBHOOKS)!

      const acknowledge = () => {
        const delivery = oneOf(held)
        if (!delivery) return
        held = held.filter((other) => other !== delivery)
        const [attempt, retryAtMs] = [
          [attemptOf(nowMs, { response: 'x'.repeat(below(40)), latencyMs: below(1000) / 8 }), null] as const,
          [attemptOf(nowMs, failedFields), nowMs + below(200)] as const,
          [attemptOf(nowMs, failedFields), null] as const,
          [attemptOf(nowMs, { ...notSentFields, error: 'webhook deleted' }), null] as const,
        ][Math.max(0, below(8) - 4)]!
        model.attempted(delivery, attempt, retryAtMs)
        return stage.log.acknowledge(delivery, attempt, retryAtMs)
      }

      const steps: Record<string, () => Promise<unknown>> = {
        async append() {
          const targets = Array.from({ length: 1 + below(3) }, () =>
            WEBHOOKS.filter(() => random() < 0.7).map((webhookId) => ({
              webhookId,
              match: `match of ${webhookId}`,
              ...(random() < 0.1 && { notSent: 'webhook invalid' }),
            })),
          )
          const accepted = await stage.log.append(targets.map((each) => event({ targets: each })))
          for (const [place, { eventUuid }] of accepted.entries()) model.accept(eventUuid, targets[place]!, nowMs)
          holdNew()
        },
        async acknowledgeSome() {
          const commits = Array.from({ length: below(6) }, acknowledge)
          if (random() < 0.3) await Promise.all(commits)
        },
        async park() {
          const webhookId = webhook()
          const unsent = held.filter((delivery) => delivery.webhookId === webhookId && delivery.dueMs === undefined && random() < 0.5)
          held = held.filter((delivery) => !unsent.includes(delivery))
          stage.log.park(webhookId, unsent)
        },
        async read() {
          const reading = stage.log.read(webhook(), 1 + below(6))
          acknowledge()
          hold(await reading)
        },
        takeDue: async () => hold(await stage.log.takeDue(nowMs, 1 + below(5))),
        async replay() {
          const report = oneOf(model.all())
          if (!report) return
          const job = oneOf(JOBS)!
          const attempt = attemptOf(nowMs, random() < 0.5 ? failedFields : {})
          model.replayed(report, job, attempt)
          await stage.log.recordReplay(report, job, attempt)
        },
        async cancel() {
          if (random() < 0.7) return
          const webhookId = webhook()
          const isHeld = new Set(held.map(keyOf))
          const attempt = attemptOf(nowMs, { ...notSentFields, error: 'cancelled' })
          for (const report of model.open())
            if (report.webhookId === webhookId && !isHeld.has(keyOf(report))) model.attempted(report, attempt, null)
          await stage.log.cancel(webhookId, nowMs, 'cancelled')
        },
        async reopen() {
          if (random() < 0.7) return
          const webhookId = webhook()
          const states = ENDED.filter(() => random() < 0.4)
          await stage.log.flush()
          const opened = await stage.log.reopen({ webhookId, after: 0, before: Number.MAX_SAFE_INTEGER, states, dueMs: nowMs, limit: ALL })
          assert.deepEqual(opened, { count: model.reopened(webhookId, states, nowMs), next: null })
        },
        async trim() {
          if (random() < 0.7) return
          const beforeMs = nowMs - below(400)
          await stage.log.flush()
          assert.equal(await stage.log.trim(beforeMs), model.trimmed(beforeMs))
        },
        async restart() {
          if (random() < 0.7) return
          await stage.reopen()
          held = []
          holdNew()
        },
      }

      const check = async () => {
        await stage.log.flush()
        assert.deepEqual(await stage.log.report({ limit: ALL }), model.newestFirst())
        for (const webhookId of WEBHOOKS) {
          const found = await stage.log.range(webhookId, startedMs, nowMs + MINUTE_MS, 0, ALL)
          assert.deepEqual(
            found.map(({ sequence, attempts }) => [sequence, attempts]),
            model.range(webhookId, startedMs),
          )
          for (const state of [...ENDED, 'pending', 'retrying'] as const)
            assert.deepEqual(
              await stage.log.report({ webhookId, state, limit: ALL }),
              model.newestFirst().filter((report) => report.webhookId === webhookId && report.state === state),
            )
        }
      }

      for (let step = 1; step <= STEPS; step++) {
        nowMs += 1 + below(20)
        await oneOf(Object.values(steps))!()
        if (step % CHECKED_EVERY === 0) await check()
      }
      await stage.log.flush()
      await stage.reopen()
      held = []
      holdNew()
      for (const webhookId of WEBHOOKS) hold(await readAll(stage.log, webhookId))
      hold(await stage.log.takeDue(nowMs + MINUTE_MS, ALL))
      assert.deepEqual(held.map(keyOf).toSorted(), model.open().map(keyOf).toSorted())
      await check()
    })
}

for (const flavour of carriersOf(import.meta)) suite(`the event log on ${flavour} beside a model`, () => modelTests(flavour))
