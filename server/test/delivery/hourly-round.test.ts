import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { pino } from 'pino'
import { createHourlyRound } from '../../src/delivery/hourly-round.ts'
import { createClock } from '../../src/lib/clock.ts'
import type { Flavour } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { createSignal } from '../stage/signal.ts'
import { aWebhook, openedAlone, rawRows } from '../storage/samples.ts'

const HOUR_MS = 3_600_000
const PASSED = { passed: true as const, secret: 0 }

/** The round over a real database in which `count` webhooks are due, of which those that `hangs` says are challenged until the test ends it. */
async function stageRound(flavour: Flavour, count: number, hangs: (id: string) => boolean) {
  const it = await openedAlone(flavour)
  const { webhooks, changes } = it.storage
  const clock = createClock()
  const dueMs = clock.now()
  for (let n = 0; n < count; n++) await webhooks.register(aWebhook({ id: `${n}`, nextChallengeAtMs: dueMs }), count)
  const signal = createSignal()
  const begun: string[] = []
  const done: string[] = []
  const hanging: (() => void)[] = []
  const round = createHourlyRound(
    webhooks,
    changes,
    async (id) => {
      begun.push(id)
      const ended = hangs(id) ? new Promise<void>((end) => void hanging.push(end)) : undefined
      signal.changed()
      await ended
      await webhooks.postpone(id, clock.now() + HOUR_MS)
      done.push(id)
      signal.changed()
      return PASSED
    },
    clock,
    pino({ level: 'silent' }),
  )
  const claimed = async () =>
    Number((await rawRows(it.url, `select count(*) as n from webhooks where next_challenge_at_ms > ${dueMs}`))[0]!.n)
  const letGo = (most = hanging.length) => {
    for (const end of hanging.splice(0, most)) end()
  }
  const stop = async () => {
    const stopped = round.stop()
    letGo()
    await stopped
    await it[Symbol.asyncDispose]()
  }
  return { round, clock, begun, done, hanging, claimed, letGo, when: signal.until, [Symbol.asyncDispose]: stop }
}

for (const flavour of databasesOf(import.meta)) {
  suite(`the hourly round on ${flavour}`, () => {
    test('callbacks that hang do not delay the challenges of other webhooks', async () => {
      await using stage = await stageRound(flavour, 400, (id) => Number(id) % 4 === 0)
      await stage.round.start()
      await stage.when(() => stage.done.length === 300)
      assert.equal(stage.begun.length, 400)
    })

    test('at most 256 challenges run at the same time, and every claimed webhook is challenged', async () => {
      await using stage = await stageRound(flavour, 300, () => true)
      await stage.round.start()
      await stage.when(() => stage.hanging.length === 256)
      assert.deepEqual([stage.begun.length, await stage.claimed()], [256, 256])
      stage.letGo(32)
      await stage.when(() => stage.hanging.length === 256)
      assert.deepEqual([stage.begun.length, await stage.claimed()], [288, 288])
      stage.letGo()
      await stage.when(() => stage.begun.length === 300)
    })

    test('a webhook whose challenge outlives its lease is not challenged twice at the same time', async () => {
      await using stage = await stageRound(flavour, 3, (id) => id === '1')
      await stage.round.start()
      await stage.when(() => stage.done.length === 2)
      stage.clock.advance(120_000)
      await stage.when(() => stage.hanging.length > 0)
      stage.clock.advance(HOUR_MS)
      await stage.when(() => stage.done.length === 4)
      assert.deepEqual(stage.begun.toSorted(), ['0', '0', '1', '2', '2'])
    })
  })
}
