import { type Clock, type Timer, thisRoundIsOver } from '../../lib/clock.ts'

/** How far apart commits of appends begin: little when it is quiet, more when the batches fill. */
const QUIET_SPACING_MS = 2
const BUSY_SPACING_MS = 5
const BUSY_ENTRIES = 64
/** How long acknowledgements wait for an append to travel with. */
const ACK_WINDOW_MS = 20
/** How long after a failure the next try comes, when no append comes earlier. */
const REPEAT_MS = 1_000
/** A batch this full does not wait for its window. */
const FULL_BYTES = 8 << 20

interface Batch<Entry, Ack> {
  entries: Entry[]
  acks: Ack[]
  bytes: number
  appended: PromiseWithResolvers<void>[]
  acknowledged: PromiseWithResolvers<void>[]
  /** Something besides entries and acknowledgements waits to be committed. */
  touched: boolean
}

export interface Batcher<Entry, Ack> {
  /** Resolves once the entries are committed; rejects, having changed nothing, when that fails. */
  append(entries: readonly Entry[], bytes: number): Promise<void>
  /** Resolves once committed. A failing commit keeps it for the next. */
  acknowledge(ack: Ack): Promise<void>
  /** Something besides entries and acknowledgements has changed: commit soon, even if neither comes. */
  touch(): void
  /** Commits what waits; rejects when that fails. */
  flush(): Promise<void>
  /** Acknowledgements that no commit has taken along yet: while none is under way, all that are not committed. */
  pending(): readonly Ack[]
  /** Commits what waits, then runs `work` while no commit is under way; rejects when either fails. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Commits what waits; refuses everything from then on. */
  close(): Promise<void>
}

const emptyBatch = <Entry, Ack>(): Batch<Entry, Ack> => ({
  entries: [],
  acks: [],
  bytes: 0,
  appended: [],
  acknowledged: [],
  touched: false,
})

const closed = () => Promise.reject(new Error('the event log is closed'))

/** Runs once everything that came in at the same time has been looked at, unless it is taken back. */
function atEndOfRound(run: () => void): Timer {
  let isCancelled = false
  void thisRoundIsOver().then(() => {
    if (!isCancelled) run()
  })
  return {
    cancel() {
      isCancelled = true
    },
  }
}

/**
 * Group commit: one commit serves everything that arrived since the last one began, and one is under way at a time. The first append
 * after a quiet time waits for the end of the event loop's round alone; those that follow within the spacing wait until it is over.
 * A batch is collecting → (round or spacing over, or full, or asked for) → under way → committed, or failed:
 * then its appends are refused and its acknowledgements go to the front of the batch that is collecting. It is stalled from a
 * failure that kept acknowledgements back until the next commit: whoever makes them stops, so that they stay few.
 * With nothing to commit no timer runs.
 */
export function createBatcher<Entry, Ack>(
  clock: Clock,
  commit: (entries: Entry[], acks: Ack[]) => Promise<void>,
  stalled: (error: unknown | null) => void = () => {},
): Batcher<Entry, Ack> {
  let batch = emptyBatch<Entry, Ack>()
  let spacingMs = QUIET_SPACING_MS
  let lastBeganMs = Number.NEGATIVE_INFINITY
  let timer: Timer | undefined
  let timerIsForAppend = false
  let lane: Promise<unknown> = Promise.resolve()
  let asked: Promise<void> | undefined
  let isClosed = false
  let isStalled = false

  const disarm = () => {
    timer?.cancel()
    timer = undefined
  }

  const due = () => {
    timer = undefined
    flush().catch(() => {})
  }

  const armForAppend = () => {
    if (timer && timerIsForAppend) return
    disarm()
    timerIsForAppend = true
    const leftMs = lastBeganMs + spacingMs - clock.monotonic()
    timer = leftMs > 0 ? clock.after(leftMs, due) : atEndOfRound(due)
  }

  const arm = (delayMs: number) => {
    if (timer) return
    timerIsForAppend = false
    timer = clock.after(delayMs, due)
  }

  const stall = (error: unknown | null) => {
    if (isStalled === (error !== null)) return
    isStalled = !isStalled
    stalled(error)
  }

  const keepAcks = (failed: Batch<Entry, Ack>) => {
    batch.acks = failed.acks.concat(batch.acks)
    batch.acknowledged = failed.acknowledged.concat(batch.acknowledged)
    batch.touched = true
    arm(REPEAT_MS)
  }

  const commitBatch = async () => {
    asked = undefined
    disarm()
    const { entries, acks, touched } = batch
    if (entries.length === 0 && acks.length === 0 && !touched) return
    const underWay = batch
    batch = emptyBatch()
    lastBeganMs = clock.monotonic()
    spacingMs = entries.length >= BUSY_ENTRIES ? BUSY_SPACING_MS : QUIET_SPACING_MS
    try {
      await commit(entries, acks)
    } catch (error) {
      for (const waiting of underWay.appended) waiting.reject(error)
      keepAcks(underWay)
      if (acks.length > 0) stall(error)
      throw error
    }
    stall(null)
    for (const waiting of underWay.appended) waiting.resolve()
    for (const waiting of underWay.acknowledged) waiting.resolve()
  }

  /** One after the other, in the order of the calls, whether the one before succeeded or not. */
  const inLane = <T>(step: () => Promise<T>): Promise<T> => {
    const done = lane.then(step)
    lane = done.catch(() => {})
    return done
  }

  /** All that ask before the commit begins share it. */
  const flush = () => {
    asked ??= inLane(commitBatch)
    return asked
  }

  return {
    append(entries, bytes) {
      if (isClosed) return closed()
      for (const entry of entries) batch.entries.push(entry)
      batch.bytes += bytes
      const waiting = Promise.withResolvers<void>()
      batch.appended.push(waiting)
      if (batch.bytes >= FULL_BYTES) flush().catch(() => {})
      else armForAppend()
      return waiting.promise
    },
    acknowledge(ack) {
      if (isClosed) return closed()
      batch.acks.push(ack)
      const waiting = batch.acknowledged.at(-1) ?? Promise.withResolvers<void>()
      if (batch.acknowledged.length === 0) batch.acknowledged.push(waiting)
      arm(ACK_WINDOW_MS)
      return waiting.promise
    },
    touch() {
      batch.touched = true
      arm(ACK_WINDOW_MS)
    },
    pending: () => batch.acks,
    flush,
    alone: (work) =>
      isClosed
        ? closed()
        : inLane(async () => {
            await commitBatch()
            return await work()
          }),
    close() {
      if (isClosed) return Promise.resolve()
      isClosed = true
      return inLane(commitBatch).finally(() => {
        disarm()
        for (const waiting of batch.acknowledged) waiting.reject(new Error('the event log was closed before this could be committed'))
      })
    },
  }
}
