import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { EventSource, SourceMessage } from '../../src/delivery/broker/event-source.ts'
import { pause } from './pause.ts'

/** A broker with a stream that is empty at first, as a test of its sources uses it. */
export interface SuiteBroker extends AsyncDisposable {
  send(messages: readonly { body: string; id?: string }[]): Promise<void>
  /** A source of another process. */
  source(): EventSource
  /** Lets so much time pass for the broker. */
  pass(ms: number): Promise<void>
}

const bodies = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => ({ body: `m${from + n}` }))
const textsOf = (messages: readonly SourceMessage[]) => messages.map(({ body }) => body.toString())
const texts = (from: number, to: number) => bodies(from, to).map(({ body }) => body)

/** Takes until there are so many messages. */
async function takeCount(source: EventSource, count: number): Promise<SourceMessage[]> {
  const taken: SourceMessage[] = []
  while (taken.length < count) taken.push(...(await source.take()))
  return taken
}

const accept = (messages: readonly SourceMessage[]) => {
  for (const message of messages) message.accept()
}

const end = async (source: EventSource) => {
  await source.stop()
  await source.close()
}

/** Waits for the broker, which hears of what is settled a moment later. */
async function backlogBecomes(source: EventSource, expected: { pending: number; unsettled: number }) {
  for (let tries = 0; ; tries += 1) {
    const backlog = await source.backlog()
    if (backlog.pending === expected.pending && backlog.unsettled === expected.unsettled) return
    if (tries === 2_000) assert.deepEqual(backlog, expected)
    await pause()
  }
}

/** What every source of events keeps, whichever its broker. */
export function eventSourceSuite(name: string, start: () => Promise<SuiteBroker>, options: { skip?: string | false } = {}) {
  suite(`events from ${name}`, { skip: options.skip ?? false }, () => {
    test('messages are taken in their order, each with its place, the id of its producer and when the broker received it', async () => {
      await using broker = await start()
      const source = broker.source()
      const before = Date.now()
      await broker.send([{ body: 'one', id: 'a' }, { body: 'two' }, { body: '' }])
      const taken = await takeCount(source, 3)
      assert.deepEqual(textsOf(taken), ['one', 'two', ''])
      assert.deepEqual(
        taken.map(({ sequence }) => sequence),
        [1, 2, 3],
      )
      assert.deepEqual(
        taken.map(({ producerId }) => producerId),
        ['a', undefined, undefined],
      )
      assert.deepEqual([taken[0]!.stream, taken[0]!.subject, taken[0]!.deliveries], ['EVENTS', 'events.test', 1])
      assert.ok(Math.abs(taken[0]!.receivedAtMs - before) < 60_000, `${taken[0]!.receivedAtMs}`)
      assert.ok(source.isConnected())
      accept(taken)
      await end(source)
    })

    test('what was accepted or discarded comes no more, and what was not comes to another process, as the same message', async () => {
      await using broker = await start()
      const first = broker.source()
      await broker.send(bodies(1, 5))
      const taken = await takeCount(first, 5)
      accept(taken.slice(0, 2))
      taken[2]!.discard()
      await first.giveBack(taken.slice(3))
      await end(first)
      const second = broker.source()
      const again = await takeCount(second, 2)
      assert.deepEqual(textsOf(again), ['m4', 'm5'])
      assert.deepEqual(
        again.map(({ deliveries }) => deliveries),
        [2, 2],
      )
      for (const [place, message] of again.entries()) {
        assert.equal(message.sequence, taken[3 + place]!.sequence)
        assert.equal(message.streamLife, taken[3 + place]!.streamLife)
      }
      accept(again)
      await backlogBecomes(second, { pending: 0, unsettled: 0 })
      await end(second)
    })

    test('what is given back comes again in its order, before what follows', async () => {
      await using broker = await start()
      const source = broker.source()
      await broker.send(bodies(1, 30))
      const taken = await takeCount(source, 30)
      await broker.send(bodies(31, 40))
      await source.giveBack(taken)
      const again = await takeCount(source, 40)
      assert.deepEqual(textsOf(again), texts(1, 40))
      accept(again)
      await backlogBecomes(source, { pending: 0, unsettled: 0 })
      await end(source)
    })

    test('what is given back for a while comes after it, and keeps no other back', async () => {
      await using broker = await start()
      const source = broker.source()
      await broker.send(bodies(1, 2))
      const [late, prompt] = await takeCount(source, 2)
      late!.giveBack(700)
      prompt!.accept()
      await broker.send(bodies(3, 3))
      const [next] = await takeCount(source, 1)
      assert.equal(next!.body.toString(), 'm3')
      next!.accept()
      const coming = takeCount(source, 1)
      await broker.pass(700)
      assert.deepEqual(textsOf(await coming), ['m1'])
      accept(await coming)
      await end(source)
    })

    test('processes that share a stream are given each message once', async () => {
      await using broker = await start()
      const sources = [broker.source(), broker.source()]
      const waiting = sources.map((source) => source.take())
      await broker.send(bodies(1, 400))
      const seen: string[] = []
      const run = async (source: EventSource, taken: Promise<SourceMessage[]>) => {
        for (let messages = await taken; messages.length > 0; messages = await source.take()) {
          seen.push(...textsOf(messages))
          accept(messages)
          if (seen.length >= 400) for (const each of sources) void each.stop()
        }
      }
      await Promise.all(sources.map((source, place) => run(source, waiting[place]!)))
      assert.deepEqual(seen.toSorted(), texts(1, 400).toSorted())
      for (const source of sources) await source.close()
    })

    test('of a long stream no more is taken than two batches, whatever waits', async () => {
      await using broker = await start()
      await broker.send(bodies(1, 2_000))
      const source = broker.source()
      const taken = await source.take()
      assert.ok(taken.length <= 100, `${taken.length} taken`)
      await broker.pass(500)
      const { unsettled } = await source.backlog()
      assert.ok(unsettled <= 200, `${unsettled} at this process`)
      await source.giveBack(taken)
      await end(source)
    })

    test('a source that is stopped gives back what it has, at once', async () => {
      await using broker = await start()
      const first = broker.source()
      await broker.send(bodies(1, 300))
      const taken = await first.take()
      await first.stop()
      assert.deepEqual(await first.take(), [])
      await first.giveBack(taken)
      await first.close()
      const second = broker.source()
      const all = await takeCount(second, 300)
      assert.deepEqual(textsOf(all).toSorted(), texts(1, 300).toSorted())
      accept(all)
      await end(second)
    })
  })
}
