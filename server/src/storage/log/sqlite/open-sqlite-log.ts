import type { Clock } from '../../../lib/clock.ts'
import { createSequence, sequenceAt } from '../../../lib/ids.ts'
import type { Delivery, EventLog } from '../../event-log.ts'
import { ackOf, replayAckOf } from '../ack.ts'
import { walkReports } from '../report-walk.ts'
import { trimInSlices } from '../trim-in-slices.ts'
import { commitBatches, type Pending, uuidOf } from './commit-batches.ts'
import { createCoverage } from './coverage.ts'
import { unpackDeliveries } from './pack-deliveries.ts'
import { parkedWebhooks } from './parked-webhooks.ts'
import { recoverUntried } from './recover-untried.ts'
import type { LogPragmas } from './writer.ts'
import { startWriter } from './writer-channel.ts'

export interface SqliteLogOptions {
  /** The file of the state's database, or `:memory:`. The log is the file `<path>.events` beside it. */
  path: string
  clock: Clock
}

export interface SqliteLog extends EventLog {
  /** What the connection really runs with. */
  pragmas(): Promise<LogPragmas>
}

/**
 * Opens the event log on SQLite: one thread reads and writes the file, group commit, one fsync a batch. Rejects when the file
 * cannot be opened. Two logs on one file would hand out the same deliveries: hold `lockFile(path)` while it is open.
 */
export async function openSqliteLog({ path, clock }: SqliteLogOptions): Promise<SqliteLog> {
  let heard: (deliveries: Delivery[]) => void = () => {}
  let stalled: (error: unknown | null) => void = () => {}
  const held = (deliveries: Delivery[]) => heard(deliveries)
  const writer = startWriter(path === ':memory:' ? path : `${path}.events`)
  const standing = await writer.call('standing')
  const coverage = createCoverage()
  coverage.load(standing)
  const batcher = commitBatches({ clock, writer, coverage, held, stalled: (error) => stalled(error) })
  let sequence = createSequence(clock)
  sequence.skipPast(standing.lastSequence)
  let recovery: Promise<{ parked: string[] }> | undefined
  let closing: Promise<void> | undefined

  const close = async () => {
    try {
      await batcher.close()
    } finally {
      await writer.call('close')
      await writer.ended
    }
  }

  return {
    ...parkedWebhooks({ writer, coverage, batcher }),
    onHeld(listener) {
      heard = listener
    },
    onStalled(listener) {
      stalled = listener
    },
    /** Nobody else works on the file, so nothing turns up that this process does not know of. */
    onWork() {},
    async append(events) {
      if (events.length === 0) return []
      const entries = events.map((event): Pending => ({ sequence: sequence.next(), event, repeated: false }))
      await batcher.append(
        entries,
        events.reduce((bytes, { content }) => bytes + content.length, 0),
      )
      return entries.map((entry) => ({ eventUuid: uuidOf(entry), repeated: entry.repeated }))
    },
    settle(delivery, attempt, retryAtMs) {
      if (delivery.attempts === 0 && !coverage.settle(delivery.webhookId, delivery.sequence)) return Promise.resolve()
      return batcher.acknowledge(ackOf(delivery, attempt, retryAtMs))
    },
    recordReplay: (...replayed) => batcher.acknowledge(replayAckOf(...replayed)),
    takeDue: async (nowMs, limit, except = []) => unpackDeliveries(await writer.call('takeDue', { nowMs, limit, except })),
    nextDueMs: (except = []) => writer.call('nextDueMs', except),
    recover() {
      recovery ??= recoverUntried({ standing, writer, coverage, batcher, held })
      return recovery
    },
    async range(webhookId, fromMs, toMs, after, limit) {
      const query = { webhookId, after: Math.max(after, sequenceAt(fromMs) - 1), before: sequenceAt(toMs), limit }
      return unpackDeliveries(await writer.call('range', query))
    },
    report: (query) => walkReports(query, (slice) => writer.call('report', slice)),
    trim: (beforeMs) => trimInSlices(beforeMs, (slice) => writer.call('trim', slice)),
    flush: batcher.flush,
    wipe: () =>
      batcher.alone(async () => {
        await writer.call('wipe')
        coverage.clear()
        sequence = createSequence(clock)
      }),
    pragmas: () => writer.call('pragmas'),
    close() {
      closing ??= close()
      return closing
    },
  }
}
