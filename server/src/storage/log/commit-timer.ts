import { type Clock, endOfTurn, type Timer } from '../../lib/clock.ts'

/** The minimum time between the starts of two commits with appends: longer while batches are large. */
const QUIET_SPACING_MS = 2
const BUSY_SPACING_MS = 5
const BUSY_ENTRIES = 64

/** Runs a function at the end of this turn of the event loop, unless it is cancelled. */
function atEndOfRound(run: () => void): Timer {
  let isCancelled = false
  void endOfTurn().then(() => {
    if (!isCancelled) run()
  })
  return {
    cancel() {
      isCancelled = true
    },
  }
}

/**
 * Decides when the next commit starts. The first append after a pause waits only for the end of the event loop's turn; appends that
 * follow within the spacing wait for it to pass.
 *
 *   idle → armed without an append (`arm`) | armed for an append (`armForAppend`) → due: idle
 *   armed without an append → armed for an append, which is sooner
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

  /** Schedules a commit for appended entries. */
  armForAppend(): void {
    if (this.#timer && this.#isForAppend) return
    this.disarm()
    this.#isForAppend = true
    const leftMs = this.#lastBeganMs + this.#spacingMs - this.#clock.monotonic()
    this.#timer = leftMs > 0 ? this.#clock.after(leftMs, this.#due) : atEndOfRound(this.#due)
  }

  /** Schedules a commit within `delayMs`; sooner if an append comes. */
  arm(delayMs: number): void {
    if (this.#timer) return
    this.#isForAppend = false
    this.#timer = this.#clock.after(delayMs, this.#due)
  }

  disarm(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  /** A commit of this many entries has begun. */
  began(entries: number): void {
    this.#lastBeganMs = this.#clock.monotonic()
    this.#spacingMs = entries >= BUSY_ENTRIES ? BUSY_SPACING_MS : QUIET_SPACING_MS
  }
}
