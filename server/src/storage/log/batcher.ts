import type { Clock } from '../../lib/clock.ts'
import type { CommitListener } from '../event-log.ts'
import { CommitTimer } from './commit-timer.ts'

/** How long acknowledgements wait for an append whose commit can include them. */
const ACK_WINDOW_MS = 20
/** Delay of the next try after a failed commit, unless an append comes earlier. */
const RETRY_MS = 1_000
/** A batch of this size is committed at once. */
const FULL_BYTES = 8 << 20

/** What one `append` brings. */
interface Append {
  bytes: number
  waiting: PromiseWithResolvers<void>
}

interface Batch<Entry, Ack> {
  /** By their entries, in the order of the calls. */
  appends: Map<readonly Entry[], Append>
  acks: Ack[]
  bytes: number
  acknowledged: PromiseWithResolvers<void>[]
  /** Something besides entries and acknowledgements has to be committed. */
  touched: boolean
}

const emptyBatch = <Entry, Ack>(): Batch<Entry, Ack> => ({
  appends: new Map(),
  acks: [],
  bytes: 0,
  acknowledged: [],
  touched: false,
})

const closed = () => Promise.reject(new Error('the event log is closed'))

/** Commits a batch. All or nothing: rejects if nothing was changed. */
type Commit<Entry, Ack> = (entries: Entry[], acks: Ack[]) => Promise<void>

/**
 * Group commit: one commit takes everything that arrived since the last one began. One commit runs at a time.
 *
 *   collecting → (due, full or flushed) → committing → committed
 *                                                    → failed: its appends reject, its acknowledgements move to the next batch
 *
 * After a failure with acknowledgements the batcher is stalled until the next commit succeeds. The caller then stops sending, so that few
 * acknowledgements pile up. No timer runs while there is nothing to commit.
 */
export class Batcher<Entry, Ack> {
  readonly #commit: Commit<Entry, Ack>
  readonly #clock: Clock
  readonly #stalled: (error: unknown | null) => void
  readonly #committed: CommitListener
  readonly #timer: CommitTimer
  #batch: Batch<Entry, Ack> = emptyBatch()
  /** Resolves after the last queued step. */
  #queue: Promise<unknown> = Promise.resolve()
  /** A requested commit that has not begun. */
  #requested: Promise<void> | undefined
  #isClosed = false
  #isStalled = false

  constructor(
    clock: Clock,
    commit: Commit<Entry, Ack>,
    stalled: (error: unknown | null) => void = () => {},
    committed: CommitListener = () => {},
  ) {
    this.#clock = clock
    this.#commit = commit
    this.#stalled = stalled
    this.#committed = committed
    this.#timer = new CommitTimer(clock, () => void this.flush().catch(() => {}))
  }

  /** Resolves once the entries are committed. Rejects if nothing was changed. */
  append(entries: readonly Entry[], bytes: number): Promise<void> {
    if (this.#isClosed) return closed()
    const batch = this.#batch
    batch.bytes += bytes
    const waiting = Promise.withResolvers<void>()
    batch.appends.set(entries, { bytes, waiting })
    if (batch.bytes >= FULL_BYTES) this.flush().catch(() => {})
    else this.#timer.armForAppend()
    return waiting.promise
  }

  /** Takes what one `append` brought back: it never settles. False if the commit has begun. */
  withdraw(entries: readonly Entry[]): boolean {
    const collecting = this.#batch
    const withdrawn = collecting.appends.get(entries)
    if (!withdrawn) return false
    collecting.appends.delete(entries)
    collecting.bytes -= withdrawn.bytes
    return true
  }

  /** Resolves once committed. If a commit fails, the next one takes the acknowledgement. */
  acknowledge(ack: Ack): Promise<void> {
    if (this.#isClosed) return closed()
    const { acks, acknowledged } = this.#batch
    acks.push(ack)
    const waiting = acknowledged.at(-1) ?? Promise.withResolvers<void>()
    if (acknowledged.length === 0) acknowledged.push(waiting)
    this.#timer.arm(ACK_WINDOW_MS)
    return waiting.promise
  }

  /** Requests a commit soon for a change that is neither an entry nor an acknowledgement. */
  touch(): void {
    this.#batch.touched = true
    this.#timer.arm(ACK_WINDOW_MS)
  }

  /** Acknowledgements that are in no commit yet. Between commits: all that are not committed. */
  pending(): readonly Ack[] {
    return this.#batch.acks
  }

  /** Commits the current batch; rejects if that fails. Calls made before the commit begins share it. */
  flush(): Promise<void> {
    this.#requested ??= this.#enqueue(() => this.#commitBatch())
    return this.#requested
  }

  /** Runs `work` while no commit runs. What is not committed stays `pending`: no commit is made for it. */
  whileNotCommitting<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return closed()
    return this.#enqueue(work)
  }

  /** Commits the current batch, then runs `work` while no commit runs. Rejects if either fails. */
  betweenCommits<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return closed()
    return this.#enqueue(async () => {
      await this.#commitBatch()
      return await work()
    })
  }

  /** Commits the current batch. Rejects every later call. */
  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    this.#isClosed = true
    return this.#enqueue(() => this.#commitBatch()).finally(() => {
      this.#timer.disarm()
      const error = new Error('the event log was closed before this could be committed')
      for (const waiting of this.#batch.acknowledged) waiting.reject(error)
    })
  }

  /** Runs steps one at a time, in the order of the calls. A failed step does not stop the next. */
  #enqueue<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(step)
    this.#queue = done.catch(() => {})
    return done
  }

  async #commitBatch(): Promise<void> {
    this.#requested = undefined
    this.#timer.disarm()
    const batch = this.#batch
    const { appends, acks, touched } = batch
    const entries = [...appends.keys()].flat()
    if (entries.length === 0 && acks.length === 0 && !touched) return
    this.#batch = emptyBatch()
    this.#timer.began(entries.length)
    const beganMs = this.#clock.monotonic()
    try {
      await this.#commit(entries, acks)
    } catch (error) {
      this.#committed(this.#clock.monotonic() - beganMs, false)
      this.#fail(batch, error)
      throw error
    }
    this.#committed(this.#clock.monotonic() - beganMs, true)
    this.#setStalled(null)
    for (const { waiting } of appends.values()) waiting.resolve()
    for (const waiting of batch.acknowledged) waiting.resolve()
  }

  #fail(batch: Batch<Entry, Ack>, error: unknown): void {
    for (const { waiting } of batch.appends.values()) waiting.reject(error)
    const collecting = this.#batch
    collecting.acks = batch.acks.concat(collecting.acks)
    collecting.acknowledged = batch.acknowledged.concat(collecting.acknowledged)
    collecting.touched = true
    this.#timer.arm(RETRY_MS)
    if (batch.acks.length > 0) this.#setStalled(error)
  }

  #setStalled(error: unknown | null): void {
    if (this.#isStalled === (error !== null)) return
    this.#isStalled = !this.#isStalled
    this.#stalled(error)
  }
}
