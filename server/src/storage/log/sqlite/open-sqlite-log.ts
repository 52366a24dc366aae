import type { Clock } from '../../../lib/clock.ts'
import { createSequence, sequenceAt } from '../../../lib/ids.ts'
import type { EventLog } from '../../event-log.ts'
import { lockInode } from '../../files/file-lock.ts'
import { readFileState } from '../../files/open-mark.ts'
import { ownFile } from '../../files/own-file.ts'
import { logMigrated } from '../../migrate.ts'
import type { StorageLog } from '../../storage-log.ts'
import { ackOf, replayAckOf } from '../ack.ts'
import { createListeners } from '../listeners.ts'
import { walkReopening } from '../reopen-walk.ts'
import { walkReports } from '../report-walk.ts'
import { trimInSlices } from '../trim-in-slices.ts'
import { commitBatches, type Pending, uuidOf } from './commit-batches.ts'
import { Coverage } from './coverage.ts'
import { unpackDeliveries } from './pack-deliveries.ts'
import { parkedWebhooks } from './parked-webhooks.ts'
import { recoverUntried } from './recover-untried.ts'
import { type Expected, type LogPosition, verifyLog, verifyThere } from './verify-log.ts'
import type { LogPragmas } from './writer.ts'
import { startWriter } from './writer-channel.ts'

export interface SqliteLogOptions {
  /** The file of the state's database, or `:memory:`. The log is the file `<path>.events` beside it. */
  path: string
  clock: Clock
  expected?: Expected
  log?: StorageLog
}

export interface SqliteLog extends EventLog {
  /** Which log it is, and its newest event. */
  position(): LogPosition
  /** Now and then, while it is written to (`open-mark.ts`). */
  markAgain(): Promise<void>
  /** What the connection really runs with. */
  pragmas(): Promise<LogPragmas>
}

/** Starts the writer's thread on the file, once that has shown to be the log that it should be. */
async function openVerified(path: string, expected: Expected, log?: StorageLog) {
  const isFile = path !== ':memory:'
  const name = isFile ? `${path}.events` : path
  const found = readFileState(name)
  const gone = isFile ? verifyThere(name, found, expected) : undefined
  const file = isFile ? ownFile(name, log) : name
  const lock = isFile ? await lockInode(file) : undefined
  const writer = startWriter(file)
  writer.ended.then(() => lock?.release())
  try {
    logMigrated(log, 'event log', await writer.call('migrated'))
    const state = await writer.call('state')
    const { isNew, warning } = gone ?? verifyLog(file, found, state, expected)
    if (warning) log?.warn({}, warning)
    return { writer, state: { ...state, id: await writer.call('begin', isNew) } }
  } catch (error) {
    await writer.call('close', false).catch(() => {})
    await writer.ended
    throw error
  }
}

/**
 * Opens the event log on SQLite: one thread reads and writes the file, group commit, one fsync a batch. Rejects when the file
 * cannot be opened, and when what it holds is not what is `expected`. Two logs on one file would hand out the same deliveries: hold `lockFile(path)` while it is open.
 */
export async function openSqliteLog({ path, clock, expected = {}, log }: SqliteLogOptions): Promise<SqliteLog> {
  const { port, held, stalled, committed } = createListeners()
  const { writer, state } = await openVerified(path, expected, log)
  let newest = state.lastSequence
  const coverage = new Coverage()
  coverage.load(state)
  const batcher = commitBatches({ clock, writer, coverage, held, stalled, committed })
  let sequence = createSequence(clock)
  sequence.skipPast(state.lastSequence)
  let recovery: Promise<{ parked: string[] }> | undefined
  let closing: Promise<void> | undefined

  const close = async () => {
    try {
      await batcher.close()
    } finally {
      await writer.call('close', true)
      await writer.ended
    }
  }

  return {
    position: () => ({ id: state.id, sequence: newest }),
    markAgain: () => writer.call('markAgain'),
    probe: () => writer.call('probe'),
    ...parkedWebhooks({ writer, coverage, batcher }),
    ...port,
    async append(events) {
      if (events.length === 0) return []
      const entries = events.map((event): Pending => ({ sequence: sequence.next(), event, repeated: false }))
      await batcher.append(
        entries,
        events.reduce((bytes, { content }) => bytes + content.length, 0),
      )
      newest = Math.max(newest, entries.findLast(({ repeated }) => !repeated)?.sequence ?? 0)
      return entries.map((entry) => ({ eventUuid: uuidOf(entry), repeated: entry.repeated }))
    },
    acknowledge(delivery, attempt, retryAtMs) {
      if (delivery.attempts === 0 && !coverage.acknowledge(delivery.webhookId, delivery.sequence)) return Promise.resolve()
      return batcher.acknowledge(ackOf(delivery, attempt, retryAtMs))
    },
    recordReplay: (...replayed) => batcher.acknowledge(replayAckOf(...replayed)),
    takeDue: async (nowMs, limit, except = []) => unpackDeliveries(await writer.call('takeDue', { nowMs, limit, except })),
    nextDueMs: (except = []) => writer.call('nextDueMs', except),
    dueRetries: (nowMs, limit) => writer.call('dueRetries', { nowMs, limit }),
    reopen: (reopening) => walkReopening(reopening, (slice) => writer.call('reopen', slice)),
    recover() {
      recovery ??= recoverUntried({ state, writer, coverage, batcher, held })
      return recovery
    },
    async range(webhookId, fromMs, toMs, after, limit) {
      const query = { webhookId, after: Math.max(after, sequenceAt(fromMs) - 1), before: sequenceAt(toMs), limit }
      return unpackDeliveries(await writer.call('range', query))
    },
    report: (query) => walkReports(query, (slice) => writer.call('report', slice)),
    trim: (beforeMs) => trimInSlices(beforeMs, (slice) => writer.call('trim', slice)),
    flush: () => batcher.flush(),
    wipe: () =>
      batcher.betweenCommits(async () => {
        await writer.call('wipe')
        coverage.clear()
        newest = 0
        sequence = createSequence(clock)
      }),
    pragmas: () => writer.call('pragmas'),
    close() {
      closing ??= close()
      return closing
    },
  }
}
