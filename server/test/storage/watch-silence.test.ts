// When the thread of the event log counts as silent, by timers that the test moves. silent-log.test.ts stops a real thread.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { endOfTurn } from '../../src/lib/clock.ts'
import { watchSilence } from '../../src/storage/log/sqlite/watch-silence.ts'
import type { WriterChannel } from '../../src/storage/log/sqlite/writer-channel.ts'

/** A thread that replies when the test says so, and what was told of it: true when attempts cannot be recorded, false when they can again. */
function watched({ mock }: TestContext) {
  mock.timers.enable({ apis: ['setTimeout'] })
  const replies: PromiseWithResolvers<unknown>[] = []
  const call = () => {
    const reply = Promise.withResolvers<unknown>()
    replies.push(reply)
    return reply.promise
  }
  const thread = { call, ended: new Promise<void>(() => {}) } as unknown as WriterChannel
  const told: boolean[] = []
  const { writer, answered, followed, commitsStalled } = watchSilence(thread, { stalled: (error) => void told.push(error !== null) })
  /** Lets time pass by the millisecond: one timer sets the next, from the end of the step that it fires in. */
  const pass = (ms: number) => {
    for (let step = 0; step < ms; step += 1) mock.timers.tick(1)
  }
  return { ask: () => writer.call('probe'), answered, followed, commitsStalled, replies, told, pass }
}

test('the thread is silent once a call has waited for ten seconds without any reply, and not before', async (t) => {
  const { ask, told, pass } = watched(t)
  void ask()
  pass(9_999)
  assert.deepEqual(told, [])
  pass(1)
  assert.deepEqual(told, [true])
})

test('further calls do not put off the moment from which the thread is silent', (t) => {
  const { ask, told, pass } = watched(t)
  void ask()
  pass(6_000)
  void ask()
  pass(4_000)
  assert.deepEqual(told, [true])
})

test('after each reply the thread has ten seconds for the next, and as long as it likes once no call waits', async (t) => {
  const { ask, replies, told, pass } = watched(t)
  const calls = [ask(), ask()]
  pass(6_000)
  replies[0]!.resolve(1)
  await calls[0]
  pass(9_999)
  assert.deepEqual(told, [])
  replies[1]!.resolve(1)
  await calls[1]
  pass(60_000)
  assert.deepEqual(told, [])
})

test('a thread that answers one of two calls and then nothing is silent ten seconds later', async (t) => {
  const { ask, replies, told, pass } = watched(t)
  const first = ask()
  void ask()
  replies[0]!.resolve(1)
  await first
  pass(10_000)
  assert.deepEqual(told, [true])
})

test('an error is a reply', async (t) => {
  const { ask, replies, told, pass } = watched(t)
  const failing = ask()
  replies[0]!.reject(new Error('disk full'))
  await assert.rejects(failing, /disk full/)
  pass(60_000)
  assert.deepEqual(told, [])
})

test('who is refused hears that nothing was changed only if the work was withdrawn; else, that it may yet be done', async (t) => {
  const { ask, answered, pass } = watched(t)
  const refusals = Promise.all([
    assert.rejects(answered(ask), /may yet do it\. Retry in a moment: events with the same event_uuid count once\.$/),
    assert.rejects(
      answered(ask, () => false),
      /may yet do it/,
    ),
    assert.rejects(
      answered(ask, () => true),
      /Nothing was changed; retry in a moment\.$/,
    ),
  ])
  pass(10_000)
  await refusals
})

test('work that was answered is not withdrawn when the thread falls silent later', async (t) => {
  const { ask, answered, replies, pass } = watched(t)
  let isWithdrawn = false
  const done = answered(ask, () => (isWithdrawn = true))
  replies[0]!.resolve('done')
  assert.equal(await done, 'done')
  await endOfTurn()
  void ask()
  pass(10_000)
  assert.equal(isWithdrawn, false)
})

test('while commits fail and the thread is silent it is told once, and that attempts can be recorded only when neither is so', async (t) => {
  const { ask, commitsStalled, replies, told, pass } = watched(t)
  const late = ask()
  pass(10_000)
  commitsStalled(new Error('disk full'))
  assert.deepEqual(told, [true])
  replies[0]!.resolve(1)
  await late
  assert.deepEqual(told, [true])
  commitsStalled(null)
  assert.deepEqual(told, [true, false])
})

test('work that follows from what is done goes on while the thread is silent, and whoever waits is told that it may yet be done', async (t) => {
  const { ask, followed, replies, pass } = watched(t)
  const first = followed(ask())
  pass(10_000)
  await assert.rejects(first, /may yet do it/)
  const second = ask()
  await assert.rejects(followed(second), /may yet do it/)
  assert.equal(replies.length, 2)
  for (const reply of replies) reply.resolve(1)
  await endOfTurn()
  await followed(second)
})
