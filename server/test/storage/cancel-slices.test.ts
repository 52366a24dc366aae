import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import type { Delivery } from '../../src/storage/event-log.ts'
import { commitBatches } from '../../src/storage/log/sqlite/commit-batches.ts'
import { DeliveryTracker } from '../../src/storage/log/sqlite/delivery-tracker.ts'
import { parkedWebhooks } from '../../src/storage/log/sqlite/parked-webhooks.ts'
import { writeInMemory } from '../../src/storage/log/sqlite/write-in-memory.ts'
import type { WriterChannel } from '../../src/storage/log/sqlite/writer-channel.ts'
import { event } from './event-log-stage.ts'

/** A backlog of a webhook in a log in memory, and where each slice of its cancellation began. `meanwhile` runs while the first is made. */
async function stageBacklog(
  count: number,
  meanwhile: (park: (unsent: readonly Delivery[]) => void, held: readonly Delivery[]) => void = () => {},
) {
  const opened = writeInMemory()
  const began: (number | undefined)[] = []
  const call = ((method: 'cancel', argument: Parameters<typeof opened.call<'cancel'>>[1]) => {
    const called = opened.call(method, argument)
    if (method === 'cancel' && began.push(argument?.waiting?.after) === 1) meanwhile((unsent) => port.park('1', unsent), held)
    return called
  }) as WriterChannel['call']
  const writer = { ...opened, call }
  const tracker = new DeliveryTracker()
  const held: Delivery[] = []
  const batcher = commitBatches({
    clock: createClock(),
    writer,
    tracker,
    held: (deliveries) => void held.push(...deliveries),
    stream: () => ({ committed() {}, mayHave() {}, missed() {} }),
    stalled() {},
    committed() {},
  })
  const entries = Array.from({ length: count }, (_, n) => ({ sequence: n + 1, event: event(), repeated: false }))
  await batcher.append(entries, 0)
  tracker.scanned()
  const port = parkedWebhooks({ watched: { writer, answered: (work) => work(), followed: (work) => work }, tracker, batcher })
  return {
    ...port,
    held,
    began,
    async [Symbol.asyncDispose]() {
      await batcher.close()
      await writer.call('close', true)
    },
  }
}

test('each slice of a cancelled backlog begins where the one before it has ended', async () => {
  await using backlog = await stageBacklog(2_500)
  const [inFlight, ...unsent] = backlog.held
  backlog.park('1', unsent)
  await backlog.cancel('1', 1, 'webhook deleted')
  assert.deepEqual(backlog.began, [1, 1_001, 2_001, 2_500])
  assert.equal((await backlog.countOpen(['1'], 10)).get('1')!.count, 1, inFlight!.eventUuid)
})

test('what is parked again while a slice is cancelled is cancelled too', async () => {
  await using backlog = await stageBacklog(1_500, (park, [released]) => park([released!]))
  backlog.park('1', backlog.held.slice(1))
  await backlog.cancel('1', 1, 'webhook deleted')
  assert.deepEqual(backlog.began, [1, 0, 1_500])
  assert.equal((await backlog.countOpen(['1'], 10)).get('1')!.count, 0)
})
