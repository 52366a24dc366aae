import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createActivity } from '../../src/development/clock/activity.ts'
import type { DatedHappening } from '../../src/lib/activity.ts'
import { createClock, endOfTurn } from '../../src/lib/clock.ts'

const WAITS = { aloneMs: 60, besideCallsMs: 30, hurriedMs: 5 }

const promised = () => Promise.withResolvers<void>()

/** Begins work again as soon as it has ended, until it is disposed. */
function endless(track: (work: Promise<void>) => Promise<void>) {
  let isOver = false
  const running = (async () => {
    while (!isOver) await track(endOfTurn())
  })()
  return {
    async [Symbol.asyncDispose]() {
      isOver = true
      await running
    },
  }
}

async function hasEnded(waiting: Promise<unknown>): Promise<boolean> {
  let isOver = false
  void waiting.then(() => (isOver = true))
  for (let turn = 0; turn < 5; turn += 1) await endOfTurn()
  return isOver
}

test('work of a call is not awaited before the call is answered, and what it leaves is', async () => {
  const { answer, track, quiet } = createActivity(createClock())
  const [left, answered] = [promised(), promised()]
  const call = answer(async () => {
    void track(left.promise)
    await answered.promise
  })
  assert.equal(await quiet(), true)
  answered.resolve()
  await call
  const waiting = quiet()
  assert.equal(await hasEnded(waiting), false)
  left.resolve()
  assert.equal(await waiting, true)
})

test('what a call starts after its answer, or apart from it, is awaited', async () => {
  const { answer, apart, track, quiet } = createActivity(createClock())
  const [later, beside, never] = [promised(), promised(), promised()]
  void answer(async () => {
    void apart(() => track(beside.promise))
    await never.promise
  })
  await answer(async () => void endOfTurn().then(() => track(later.promise)))
  const waiting = quiet()
  assert.equal(await hasEnded(waiting), false)
  later.resolve()
  assert.equal(await hasEnded(waiting), false)
  beside.resolve()
  assert.equal(await waiting, true)
})

for (const [name, withCalls, waitedMs] of [
  ['no client calls', false, WAITS.aloneMs],
  ['clients call', true, WAITS.besideCallsMs],
] as const)
  test(`work that never ceases to begin is awaited for a limited time while ${name}, and the answer says so`, async () => {
    const { answer, track, quiet, collect } = createActivity(createClock(), WAITS)
    await using _work = endless(track)
    const { result, happened } = await collect(10, async () => {
      const waiting = quiet()
      if (withCalls) await answer(async () => {})
      return [await waiting, await quiet({ isHurried: true })]
    })
    assert.deepEqual(result, [false, false])
    assert.deepEqual(
      happened.map(({ kind, request, outcome }: DatedHappening) => [kind, request, outcome]),
      [['not_awaited', 'work in the background', `more and more began for ${waitedMs} ms of real time: the clock moved on`]],
    )
  })
