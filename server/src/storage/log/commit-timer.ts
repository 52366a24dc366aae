import { type Clock, type Timer, thisRoundIsOver } from '../../lib/clock.ts'

/** How far apart commits of appends begin: little when it is quiet, more when the batches fill. */
const QUIET_SPACING_MS = 2
const BUSY_SPACING_MS = 5
const BUSY_ENTRIES = 64

/** Runs once everything that came in at the same time has been looked at, unless it is cancelled. */
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
 * Says when the next commit is due. The first append after a quiet time waits for the end of the event loop's round alone; those that
 * follow within the spacing wait until it is over.
 *
 *   idle → waiting for an append to travel with | for the spacing of appends → due: idle again
 *   waiting for an append → for the spacing of appends, when one comes
 */
export class CommitTimer {
  readonly #clock: Clock
  readonly #due: () => void
  #timer: Timer | undefined
  #isForAppend = false
  #spacingMs = QUIET_SPACING_MS
  #lastBeganMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, due: () => void) {
    this.#clock = clock
    this.#due = () => {
      this.#timer = undefined
      due()
    }
  }

  /** Entries wait for a commit. */
  armForAppend(): void {
    if (this.#timer && this.#isForAppend) return
    this.disarm()
    this.#isForAppend = true
    const leftMs = this.#lastBeganMs + this.#spacingMs - this.#clock.monotonic()
    this.#timer = leftMs > 0 ? this.#clock.after(leftMs, this.#due) : atEndOfRound(this.#due)
  }

  /** Something waits that can wait so long; less when an append comes. */
  arm(delayMs: number): void {
    if (this.#timer) return
    this.#isForAppend = false
    this.#timer = this.#clock.after(delayMs, this.#due)
  }

  disarm(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** A commit of so many entries begins. */
  began(entries: number): void {
    this.#lastBeganMs = this.#clock.monotonic()
    this.#spacingMs = entries >= BUSY_ENTRIES ? BUSY_SPACING_MS : QUIET_SPACING_MS
  }
}
