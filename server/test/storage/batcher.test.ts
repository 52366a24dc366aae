import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createClock, endOfTurn } from '../../src/lib/clock.ts'
import { Batcher } from '../../src/storage/log/batcher.ts'

/** More than any wait for others, and less than until a failed commit is tried again. */
const LONG_MS = 100
const FULL_BYTES = 8 << 20

interface Waiting {
  dueMs: number
  run: () => void
}

/** A clock that stands still until it is moved; its wall clock says something else. */
function handClock() {
  let nowMs = 1_000
  let waiting: Waiting[] = []
  return {
    ...createClock(),
    now: () => 0,
    monotonic: () => nowMs,
    after(delayMs: number, run: () => void) {
      const timer = { dueMs: nowMs + delayMs, run }
      waiting.push(timer)
      const cancel = () => {
        waiting = waiting.filter((each) => each !== timer)
      }
      return { cancel }
    },
    timers: () => waiting.length,
    /** Moves it, runs what came due, and lets what follows from that happen. */
    async move(ms: number) {
      nowMs += ms
      const due = waiting.filter(({ dueMs }) => dueMs <= nowMs)
      waiting = waiting.filter(({ dueMs }) => dueMs > nowMs)
      for (const { run } of due) run()
      await endOfTurn()
    },
  }
}

/** A batcher whose commits are listed, and end when the test says so. */
function stage() {
  const clock = handClock()
  const commits: (string[] & { succeed?: () => void; fail?: () => void })[] = []
  const stalls: boolean[] = []
  const batcher = new Batcher<string, string>(
    clock,
    (entries, acks) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      commits.push(Object.assign([...entries, ...acks], { succeed: resolve, fail: () => reject(new Error('no disk')) }))
      return promise
    },
    (error) => void stalls.push(error !== null),
  )
  const end = async (how: 'succeed' | 'fail') => {
    commits.at(-1)![how]!()
    await endOfTurn()
  }
  return {
    clock,
    commits,
    batcher,
    stalls,
    append: (entry: string, bytes = 1) => batcher.append([entry], bytes),
    succeed: () => end('succeed'),
    fail: () => end('fail'),
    seen: () => commits.map((each) => [...each]),
  }
}

suite('group commit', () => {
  test('appends of one turn of the event loop are committed at its end, together, and no timer runs', async () => {
    const { append, clock, seen, succeed } = stage()
    const both = Promise.all([append('a'), append('b')])
    assert.deepEqual(seen(), [])
    await endOfTurn()
    assert.deepEqual(seen(), [['a', 'b']])
    await succeed()
    await both
    assert.equal(clock.timers(), 0)
  })

  test('appends shortly after a commit began wait until the spacing is over, and are committed together', async () => {
    const { append, clock, seen, succeed } = stage()
    void append('a')
    await endOfTurn()
    await succeed()
    await clock.move(1)
    void append('b')
    await clock.move(0.5)
    void append('c')
    await clock.move(0.4)
    assert.deepEqual(seen(), [['a']])
    await clock.move(0.1)
    assert.deepEqual(seen(), [['a'], ['b', 'c']])
  })

  test('the spacing counts from the beginning of the last commit, so that after a slow one appends wait only for the end of the turn', async () => {
    const { append, clock, seen, succeed } = stage()
    void append('a')
    await endOfTurn()
    await clock.move(LONG_MS)
    await succeed()
    void append('b')
    await endOfTurn()
    assert.deepEqual(seen(), [['a'], ['b']])
  })

  test('one commit runs at a time, and takes everything that arrived during the previous one', async () => {
    const { append, clock, seen, succeed } = stage()
    void append('a')
    await endOfTurn()
    await clock.move(LONG_MS)
    void append('b')
    await clock.move(LONG_MS)
    void append('c')
    await clock.move(LONG_MS)
    assert.deepEqual(seen(), [['a']])
    await succeed()
    assert.deepEqual(seen(), [['a'], ['b', 'c']])
  })

  test('what is taken back before its commit begins is not in it, and what a commit has is not taken back', async () => {
    const { append, batcher, seen, succeed } = stage()
    const [taken, back] = [['a'], ['b']]
    const first = batcher.append(taken, 1)
    await endOfTurn()
    let hasSettled = false
    const settled = () => {
      hasSettled = true
    }
    void batcher.append(back, FULL_BYTES - 1).then(settled, settled)
    const third = append('c')
    assert.deepEqual([batcher.withdraw(taken), batcher.withdraw(back), batcher.withdraw(back)], [false, true, false])
    await succeed()
    await first
    void batcher.flush()
    await endOfTurn()
    assert.deepEqual(seen(), [['a'], ['c']])
    await succeed()
    await third
    assert.equal(hasSettled, false)
  })

  test('work that needs quiet waits for the commit that runs, and commits nothing: what is new stays pending', async () => {
    const { batcher, append, seen, succeed } = stage()
    void append('a')
    await endOfTurn()
    const pending = batcher.whileNotCommitting(async () => [...batcher.pending()])
    void batcher.acknowledge('b')
    await endOfTurn()
    assert.deepEqual(seen(), [['a']])
    await succeed()
    assert.deepEqual(await pending, ['b'])
    assert.deepEqual(seen(), [['a']])
  })

  test('after a batch of 64 the spacing is longer, until the batches are small again', async () => {
    const { batcher, append, clock, seen, succeed } = stage()
    void batcher.append(Array.from({ length: 64 }, String), 1)
    await endOfTurn()
    await succeed()
    void append('b')
    await clock.move(4.9)
    assert.equal(seen().length, 1)
    await clock.move(0.1)
    assert.deepEqual(seen().slice(1), [['b']])
    await succeed()
    void append('c')
    await clock.move(2)
    assert.deepEqual(seen().slice(1), [['b'], ['c']])
  })

  test('a full batch waits neither for the end of the turn nor for the spacing', async () => {
    const { append, seen, succeed } = stage()
    void append('a', FULL_BYTES)
    await Promise.resolve()
    assert.deepEqual(seen(), [['a']])
    await succeed()
    void append('b', FULL_BYTES)
    await Promise.resolve()
    assert.deepEqual(seen(), [['a'], ['b']])
    await succeed()
    await endOfTurn()
    assert.equal(seen().length, 2)
  })

  test('acknowledgements wait 20 ms for an append, and are committed alone if none comes', async () => {
    const { batcher, append, clock, seen, succeed } = stage()
    const first = batcher.acknowledge('x')
    await clock.move(19)
    assert.deepEqual(seen(), [])
    await clock.move(1)
    assert.deepEqual(seen(), [['x']])
    await succeed()
    await first
    await clock.move(LONG_MS)
    void batcher.acknowledge('y')
    void append('b')
    await endOfTurn()
    assert.deepEqual(seen(), [['x'], ['b', 'y']])
    await succeed()
    assert.equal(clock.timers(), 0)
  })

  test('a failed commit rejects its appends, and its acknowledgements are first in the next batch', async () => {
    const { batcher, append, clock, seen, succeed, fail, stalls } = stage()
    const refused = assert.rejects(append('a'), /no disk/)
    const acknowledged = batcher.acknowledge('x')
    await endOfTurn()
    await fail()
    await refused
    assert.deepEqual([batcher.pending(), stalls], [['x'], [true]])
    await clock.move(LONG_MS)
    void batcher.acknowledge('y')
    void append('b')
    await endOfTurn()
    assert.deepEqual(seen().slice(1), [['b', 'x', 'y']])
    await succeed()
    await acknowledged
    assert.deepEqual([stalls, clock.timers()], [[true, false], 0])
  })

  test('without another append a failed commit is retried after a second, repeatedly', async () => {
    const { batcher, clock, seen, fail } = stage()
    void batcher.acknowledge('x')
    await clock.move(LONG_MS)
    for (const tries of [1, 2, 3]) {
      await fail()
      await clock.move(999)
      assert.equal(seen().length, tries)
      await clock.move(1)
      assert.equal(seen().length, tries + 1)
    }
  })

  test('closing at once commits what waits for the end of the turn, and nothing is committed afterwards', async () => {
    const { batcher, append, clock, seen, succeed } = stage()
    const kept = append('a')
    const closing = batcher.close()
    await Promise.resolve()
    assert.deepEqual(seen(), [['a']])
    await succeed()
    await Promise.all([kept, closing])
    await clock.move(LONG_MS)
    assert.equal(seen().length, 1)
    await assert.rejects(append('b'), /closed/)
  })

  test('if closing fails, the remaining acknowledgements are rejected and never committed', async () => {
    const { batcher, append, clock, seen, fail } = stage()
    const refused = assert.rejects(append('a'), /no disk/)
    const lost = assert.rejects(batcher.acknowledge('x'), /closed before/)
    const closing = assert.rejects(batcher.close(), /no disk/)
    await Promise.resolve()
    await fail()
    await Promise.all([refused, lost, closing])
    await clock.move(LONG_MS * 20)
    assert.deepEqual([seen().length, clock.timers()], [1, 0])
  })
})
