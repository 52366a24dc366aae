import type { Clock } from '../../lib/clock.ts'
import type { CommitListener } from '../event-log.ts'
import { CommitTimer } from './commit-timer.ts'

/** How long acknowledgements wait for an append to travel with. */
const ACK_WINDOW_MS = 20
/** How long after a failure the next try comes, when no append comes earlier. */
const RETRY_MS = 1_000
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

const emptyBatch = <Entry, Ack>(): Batch<Entry, Ack> => ({
  entries: [],
  acks: [],
  bytes: 0,
  appended: [],
  acknowledged: [],
  touched: false,
})

const closed = () => Promise.reject(new Error('the event log is closed'))

/** Commits a batch; rejects, having changed nothing, when that fails. */
type Commit<Entry, Ack> = (entries: Entry[], acks: Ack[]) => Promise<void>

/**
 * Group commit: one commit serves everything that arrived since the last one began, and one is under way at a time.
 * A batch is collecting → (due, full, or asked for) → under way → committed, or failed: then its appends are refused and its
 * acknowledgements go to the front of the batch that is collecting. It is stalled from a failure that kept acknowledgements back until
 * the next commit: whoever makes them stops, so that they stay few. With nothing to commit no timer runs.
 */
export class Batcher<Entry, Ack> {
  readonly #commit: Commit<Entry, Ack>
  readonly #clock: Clock
  readonly #stalled: (error: unknown | null) => void
  readonly #committed: CommitListener
  readonly #timer: CommitTimer
  #batch: Batch<Entry, Ack> = emptyBatch()
  /** Ends with the last step that was queued. */
  #queue: Promise<unknown> = Promise.resolve()
  /** The commit that was asked for and has not begun. */
  #asked: Promise<void> | undefined
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

  /** Resolves once the entries are committed; rejects, having changed nothing, when that fails. */
  append(entries: readonly Entry[], bytes: number): Promise<void> {
    if (this.#isClosed) return closed()
    const batch = this.#batch
    for (const entry of entries) batch.entries.push(entry)
    batch.bytes += bytes
    const waiting = Promise.withResolvers<void>()
    batch.appended.push(waiting)
    if (batch.bytes >= FULL_BYTES) this.flush().catch(() => {})
    else this.#timer.armForAppend()
    return waiting.promise
  }

  /** Resolves once committed. A failing commit keeps it for the next. */
  acknowledge(ack: Ack): Promise<void> {
    if (this.#isClosed) return closed()
    const { acks, acknowledged } = this.#batch
    acks.push(ack)
    const waiting = acknowledged.at(-1) ?? Promise.withResolvers<void>()
    if (acknowledged.length === 0) acknowledged.push(waiting)
    this.#timer.arm(ACK_WINDOW_MS)
    return waiting.promise
  }

  /** Something besides entries and acknowledgements has changed: commit soon, even if neither comes. */
  touch(): void {
    this.#batch.touched = true
    this.#timer.arm(ACK_WINDOW_MS)
  }

  /** Acknowledgements that no commit has taken along yet: while none is under way, all that are not committed. */
  pending(): readonly Ack[] {
    return this.#batch.acks
  }

  /** Commits what waits; rejects when that fails. All that ask before the commit begins share it. */
  flush(): Promise<void> {
    this.#asked ??= this.#inTurn(() => this.#commitBatch())
    return this.#asked
  }

  /** Commits what waits, then runs `work` while no commit is under way; rejects when either fails. */
  betweenCommits<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) return closed()
    return this.#inTurn(async () => {
      await this.#commitBatch()
      return await work()
    })
  }

  /** Commits what waits; refuses everything from then on. */
  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    this.#isClosed = true
    return this.#inTurn(() => this.#commitBatch()).finally(() => {
      this.#timer.disarm()
      const error = new Error('the event log was closed before this could be committed')
      for (const waiting of this.#batch.acknowledged) waiting.reject(error)
    })
  }

  /** One after the other, in the order of the calls, whether the one before succeeded or not. */
  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(step)
    this.#queue = done.catch(() => {})
    return done
  }

  async #commitBatch(): Promise<void> {
    this.#asked = undefined
    this.#timer.disarm()
    const batch = this.#batch
    const { entries, acks, touched } = batch
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
    for (const waiting of batch.appended) waiting.resolve()
    for (const waiting of batch.acknowledged) waiting.resolve()
  }

  #fail(batch: Batch<Entry, Ack>, error: unknown): void {
    for (const waiting of batch.appended) waiting.reject(error)
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
