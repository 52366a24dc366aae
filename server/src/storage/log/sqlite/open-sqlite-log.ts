import type { Clock } from '../../../lib/clock.ts'
import { createSequence, type Sequence, sequenceAt } from '../../../lib/ids.ts'
import type { EventLog, NewEvent } from '../../event-log.ts'
import { lockInode } from '../../files/file-lock.ts'
import { assertOwnWal, readFileState } from '../../files/open-mark.ts'
import { ownFile } from '../../files/own-file.ts'
import { logMigrated } from '../../migrate.ts'
import type { Snapshots } from '../../snapshots.ts'
import type { StorageLog } from '../../storage-log.ts'
import { ackOf, replayAckOf } from '../ack.ts'
import type { Batcher } from '../batcher.ts'
import { warnOfDatesAhead } from '../dates-ahead.ts'
import { eventOf } from '../event-row.ts'
import { createListeners } from '../listeners.ts'
import { walkReopening } from '../reopen-walk.ts'
import { reportsBy } from '../report-walk.ts'
import { trimInSlices } from '../trim-in-slices.ts'
import { commitBatches, type Pending, uuidOf } from './commit-batches.ts'
import { DeliveryTracker } from './delivery-tracker.ts'
import { unpackDeliveries } from './pack-deliveries.ts'
import { parkedWebhooks } from './parked-webhooks.ts'
import { readExtent } from './read-extent.ts'
import { unpackEntries } from './read-stream.ts'
import { createRecovery } from './recover-untried.ts'
import { unpackFound } from './search.ts'
import { type Expected, type LogPosition, verifyExists, verifyLog } from './verify-log.ts'
import { watchSilence } from './watch-silence.ts'
import type { LogPragmas, LogState } from './writer.ts'
import { startWriter, type WriterChannel } from './writer-channel.ts'

interface LogSnapshotOptions {
  writer: WriterChannel
  tracker: DeliveryTracker
  batcher: Pick<Batcher<never, never>, 'betweenCommits'>
  clock: Clock
  sequence: Sequence
  /** Told of the state of the restored log: what was never tried is to be recovered again. */
  restored(state: LogState): void
}

/** Copies of the event log on SQLite, made by the thread that writes it. */
const createLogSnapshots = ({ writer, tracker, batcher, clock, sequence, restored }: LogSnapshotOptions): Snapshots => ({
  save: (name) => batcher.betweenCommits(() => writer.call('saveSnapshot', name)),
  restore: (name) =>
    batcher.betweenCommits(async () => {
      const { state, used } = await writer.call('restoreSnapshot', { name, after: sequenceAt(clock.now()) })
      tracker.clear()
      tracker.load(state)
      sequence.restart()
      sequence.skipPast(state.lastSequence)
      sequence.passOver(used)
      restored(state)
    }),
  drop: (name) => writer.call('dropSnapshot', name),
})

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
  /** The pragmas as the connection reports them. */
  pragmas(): Promise<LogPragmas>
}

/** The code of the writer is loaded where it runs: here for a log in memory, else by its thread. */
const openInMemory = async (): Promise<WriterChannel> => (await import('./write-in-memory.ts')).writeInMemory()

/** Starts the writer, and checks that the file is the expected log and complete. */
async function openVerified(path: string, expected: Expected, log?: StorageLog) {
  const isFile = path !== ':memory:'
  const name = isFile ? `${path}.events` : path
  const found = readFileState(name)
  assertOwnWal(name)
  const lost = isFile ? verifyExists(name, found, expected) : undefined
  const file = isFile ? ownFile(name, log) : name
  const lock = isFile ? await lockInode(file) : undefined
  const writer = isFile ? startWriter(file) : await openInMemory()
  writer.ended.then(() => lock?.release())
  try {
    logMigrated(log, { what: 'event log', place: file }, await writer.call('migrated'))
    const state = await writer.call('state')
    const { isNew, warning } = lost ?? verifyLog(file, found, state, expected)
    if (warning) log?.warn({}, warning)
    return { writer, state: { ...state, id: await writer.call('begin', isNew) } }
  } catch (error) {
    await writer.call('close', false).catch(() => {})
    await writer.ended
    throw error
  }
}

const bytesOf = (events: readonly NewEvent[]) => events.reduce((bytes, { content }) => bytes + content.length, 0)

/** Nothing can be written any more without the thread: the error is nobody's to catch, so that whoever watches this process starts it anew. */
function assertClosing(closing: unknown) {
  if (!closing) throw new Error('the thread that writes the event log has ended')
}

/** The numbers of new events. */
function sequenceAfter({ lastSequence }: LogState, clock: Clock, log: StorageLog | undefined) {
  const sequence = createSequence(clock)
  warnOfDatesAhead(lastSequence, clock, log)
  sequence.skipPast(lastSequence)
  return sequence
}

/** What operators look up. */
const lookUps = (
  writer: WriterChannel,
  answered: <T>(call: () => Promise<T>) => Promise<T>,
): Pick<EventLog, 'report' | 'reportPage' | 'find' | 'search' | 'countRange'> => ({
  ...reportsBy((slice) => answered(() => writer.call('report', slice))),
  find: async (eventUuid) => eventOf(await answered(() => writer.call('find', eventUuid))),
  countRange: (webhookId, fromMs, toMs, limit) =>
    answered(() => writer.call('countRange', { webhookId, after: sequenceAt(fromMs) - 1, before: sequenceAt(toMs), limit })),
  search: async (search) => unpackFound(await answered(() => writer.call('search', search))),
})

/** Commits the last batch and ends the thread. */
async function closeAll(batcher: { close(): Promise<void> }, writer: WriterChannel) {
  try {
    await batcher.close()
  } finally {
    await writer.call('close', true)
    await writer.ended
  }
}

const measuresOf = (writer: WriterChannel) => ({
  extent: (limit: number) => readExtent(writer, limit),
  pragmas: () => writer.call('pragmas'),
})

/** What concerns other processes: a file has one. */
const alone: Pick<EventLog, 'confirmHeld' | 'watchStreams' | 'callForWork' | 'unclaimedSinceMs'> = {
  confirmHeld: () => undefined,
  watchStreams() {},
  callForWork() {},
  unclaimedSinceMs: async () => undefined,
}

/**
 * Opens the event log on SQLite: one thread reads and writes the file, with group commit and one fsync per batch. Rejects if the file
 * cannot be opened or does not match `expected`. Two logs on one file would hand out the same deliveries: hold `lockFile(path)` while it
 * is open.
 */
export async function openSqliteLog({ path, clock, expected = {}, log }: SqliteLogOptions): Promise<SqliteLog> {
  const { port, held, stream, stalled, committed } = createListeners()
  let { writer: thread, state } = await openVerified(path, expected, log)
  const watched = watchSilence(thread, { stalled, log })
  const { writer, answered, commitsStalled } = watched
  let newest = state.lastSequence
  const tracker = new DeliveryTracker()
  tracker.load(state)
  const batcher = commitBatches({ clock, writer, tracker, held, stream, stalled: commitsStalled, committed })
  const sequence = sequenceAfter(state, clock, log)
  let recover = createRecovery({ state, writer, tracker, batcher, held })
  let closing: Promise<void> | undefined
  void writer.ended.then(() => assertClosing(closing))

  return {
    position: () => ({ id: state.id, sequence: newest }),
    probe: () => answered(() => writer.call('probe')),
    ...parkedWebhooks({ watched, tracker, batcher }),
    ...port,
    ...alone,
    async append(events) {
      if (events.length === 0) return []
      const entries = events.map((event): Pending => ({ sequence: sequence.next(), event, repeated: false }))
      const append = () => batcher.append(entries, bytesOf(events))
      await answered(append, () => batcher.withdraw(entries))
      newest = Math.max(newest, entries.findLast(({ repeated }) => !repeated)?.sequence ?? 0)
      return entries.map((entry) => ({ eventUuid: uuidOf(entry), repeated: entry.repeated }))
    },
    acknowledge(delivery, attempt, retryAtMs) {
      if (delivery.attempts === 0 && !tracker.acknowledge(delivery.webhookId, delivery.sequence)) return Promise.resolve()
      return batcher.acknowledge(ackOf(delivery, attempt, retryAtMs))
    },
    recordReplay: (...replayed) => batcher.acknowledge(replayAckOf(...replayed)),
    takeDue: async (nowMs, limit, except = []) => unpackDeliveries(await writer.call('takeDue', { nowMs, limit, except })),
    nextDueMs: (except = []) => writer.call('nextDueMs', except),
    dueRetries: (nowMs, limit) => writer.call('dueRetries', { nowMs, limit }),
    plannedRetries: (fromMs, toMs, limit) => writer.call('plannedRetries', { fromMs, toMs, limit }),
    reopen: (reopening) => walkReopening(reopening, (slice) => answered(() => writer.call('reopen', slice))),
    recover: () => recover(),
    async range(webhookId, fromMs, toMs, after, limit) {
      const query = { webhookId, after: Math.max(after, sequenceAt(fromMs) - 1), before: sequenceAt(toMs), limit }
      return unpackDeliveries(await writer.call('range', query))
    },
    readStream: async (range) => unpackEntries(await writer.call('readStream', range), range.appId),
    ...lookUps(writer, answered),
    trim: (beforeMs, options = {}) => trimInSlices(beforeMs, options, (slice) => writer.call('trim', slice)),
    flush: () => batcher.flush(),
    wipe: () =>
      batcher.betweenCommits(async () => {
        await writer.call('wipe')
        tracker.clear()
        newest = 0
        sequence.restart()
      }),
    snapshots: createLogSnapshots({
      writer,
      tracker,
      batcher,
      clock,
      sequence,
      restored(restoredState) {
        state = restoredState
        newest = state.lastSequence
        recover = createRecovery({ state, writer, tracker, batcher, held })
      },
    }),
    ...measuresOf(writer),
    close() {
      closing ??= closeAll(batcher, writer)
      return closing
    },
  }
}
