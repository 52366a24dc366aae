/** Counts the unacknowledged deliveries of each event and finds the oldest event with one. Sequence numbers are added in ascending order. */
function createUnacknowledged() {
  let counts = new Map<number, number>()
  return {
    add(sequence: number) {
      counts.set(sequence, (counts.get(sequence) ?? 0) + 1)
    },
    remove(sequence: number) {
      const left = (counts.get(sequence) ?? 1) - 1
      if (left > 0) counts.set(sequence, left)
      else counts.delete(sequence)
    },
    /** Undefined if every event is acknowledged. */
    oldest: (): number | undefined => counts.keys().next().value,
    /** Restores ascending order after numbers were added out of order. */
    sort() {
      counts = new Map([...counts].sort(([a], [b]) => a - b))
    },
    clear: () => counts.clear(),
  }
}

/**
 * The row of a webhook in the table `waiting`: its deliveries above `cursor` that are neither acknowledged nor held wait in the log.
 * Parking again makes a new row.
 */
interface Row {
  cursor: number
  parked: boolean
}

/** A page being read: what to read, and the row at its beginning. */
export interface Reading {
  after: number
  except: number[]
  row: Row
}

interface WebhookState {
  /** Sequence numbers of held deliveries that were never tried before. */
  held: Set<number>
  row?: Row
}

/** What the next commit writes: the new watermark, and for each webhook whose row changed its beginning, or null to delete the row. */
export interface Marks {
  watermark: number | null
  rows: Map<string, number | null>
}

/**
 * Tracks which deliveries were never tried, so that a restart finds each of them. Two numbers say so; exactly one applies to a webhook:
 *
 *   the watermark   for all webhooks without a row: everything at or below it has been tried;
 *   its row         for this webhook: everything at or below the row's number has been tried.
 *
 * A webhook gets a row when it is parked. Once it has caught up it is no longer parked, but the row stays until none of its deliveries is
 * held; then the watermark applies to it. Both numbers may lag behind, but must never be ahead: a restart would miss deliveries.
 * Deliveries that were tried and failed have a retry row and are not tracked here.
 */
export class DeliveryTracker {
  readonly #webhooks = new Map<string, WebhookState>()
  readonly #open = createUnacknowledged()
  readonly #changed = new Set<string>()
  #lastCommitted = 0
  #watermark = 0
  /** During the scan at the start: everything up to here is held, waiting or acknowledged. Undefined after the scan. */
  #scannedTo: number | undefined = 0

  /** Loads what the file has at the start. */
  load(marks: { watermark: number; lastSequence: number; rows: [webhookId: string, beginning: number][] }): void {
    this.#watermark = marks.watermark
    this.#scannedTo = marks.watermark
    this.#lastCommitted = marks.lastSequence
    for (const [webhookId, cursor] of marks.rows) this.#stateOf(webhookId).row = { cursor, parked: true }
  }

  /** Everything up to here is committed, and handed out or waiting. */
  committed(sequence: number): void {
    this.#lastCommitted = Math.max(this.#lastCommitted, sequence)
  }

  /** The scan has reached this number. */
  reached(sequence: number): void {
    this.#scannedTo = sequence
  }

  /** The scan has ended: the watermark may move now. */
  scanned(): void {
    this.#open.sort()
    this.#scannedTo = undefined
  }

  isParked(webhookId: string): boolean {
    return this.#webhooks.get(webhookId)?.row?.parked === true
  }

  /** The webhook's deliveries that are handed out, not yet acknowledged and never tried before. */
  heldOf(webhookId: string): ReadonlySet<number> {
    return this.#webhooks.get(webhookId)?.held ?? new Set()
  }

  parkedWebhooks(): string[] {
    return [...this.#webhooks].filter(([, { row }]) => row?.parked).map(([webhookId]) => webhookId)
  }

  hold(webhookId: string, sequence: number): void {
    const state = this.#stateOf(webhookId)
    state.held.add(sequence)
    if (!state.row) this.#open.add(sequence)
  }

  /** Returns false if the delivery is not held. */
  acknowledge(webhookId: string, sequence: number): boolean {
    const state = this.#webhooks.get(webhookId)
    if (!state?.held.delete(sequence)) return false
    if (!state.row) this.#open.remove(sequence)
    this.#tidy(webhookId, state)
    return true
  }

  /** Parks the webhook: its new deliveries wait from now on, and so do the held ones in `unsent`. */
  park(webhookId: string, unsent: readonly number[]): void {
    const state = this.#stateOf(webhookId)
    if (!state.row) for (const sequence of state.held) this.#open.remove(sequence)
    let cursor = state.row?.parked ? state.row.cursor : this.#newest()
    for (const sequence of unsent) if (state.held.delete(sequence)) cursor = Math.min(cursor, sequence - 1)
    state.row = { cursor, parked: true }
    this.#changed.add(webhookId)
  }

  /** Where to read the next page of a parked webhook, and which deliveries above that are held; undefined if it is not parked. */
  reading(webhookId: string): Reading | undefined {
    const { row, held } = this.#webhooks.get(webhookId) ?? {}
    if (!row?.parked || !held) return undefined
    return { after: row.cursor, except: [...held].filter((sequence) => sequence > row.cursor), row }
  }

  /**
   * Records a page that was read: `found` is held now, in ascending order. An empty page means that the webhook has caught up, unless it
   * was parked again meanwhile. Returns false if the page was empty and has to be read again for that reason.
   */
  read(webhookId: string, { row }: Reading, found: readonly number[]): boolean {
    const state = this.#stateOf(webhookId)
    for (const sequence of found) state.held.add(sequence)
    const isSameParking = state.row === row
    if (isSameParking && found.length > 0) row.cursor = found.at(-1)!
    if (isSameParking && found.length === 0) row.parked = false
    this.#changed.add(webhookId)
    this.#tidy(webhookId, state)
    return isSameParking || found.length > 0
  }

  /** Records that what waited up to `last` was cancelled. What waits since the webhook was parked again is left alone. */
  cancelled(webhookId: string, { row }: Reading, last: number): void {
    if (this.#webhooks.get(webhookId)?.row !== row) return
    row.cursor = last
    this.#changed.add(webhookId)
  }

  /** The marks for the commit that begins now. That commit must contain every acknowledgement made so far. */
  marks(): Marks {
    const rows = new Map([...this.#changed].map((webhookId) => [webhookId, this.#beginning(webhookId)]))
    this.#changed.clear()
    const next = this.#scannedTo === undefined ? (this.#open.oldest() ?? this.#lastCommitted + 1) - 1 : this.#watermark
    return { watermark: next > this.#watermark ? next : null, rows }
  }

  written(marks: Marks): void {
    this.#watermark = marks.watermark ?? this.#watermark
  }

  /** The commit failed: the next one writes these marks. */
  unwritten(marks: Marks): void {
    for (const webhookId of marks.rows.keys()) this.#changed.add(webhookId)
  }

  /** Everything was deleted. */
  clear(): void {
    this.#webhooks.clear()
    this.#open.clear()
    this.#changed.clear()
    this.#lastCommitted = 0
    this.#watermark = 0
  }

  #stateOf(webhookId: string): WebhookState {
    let state = this.#webhooks.get(webhookId)
    if (!state) {
      state = { held: new Set() }
      this.#webhooks.set(webhookId, state)
    }
    return state
  }

  #newest(): number {
    return this.#scannedTo ?? this.#lastCommitted
  }

  /** The beginning of a webhook's row, or null if it needs no row. */
  #beginning(webhookId: string): number | null {
    const { row, held } = this.#webhooks.get(webhookId) ?? {}
    if (!row || !held) return null
    let lowest = row.parked ? row.cursor : this.#newest()
    for (const sequence of held) lowest = Math.min(lowest, sequence - 1)
    return lowest
  }

  /** Drops what is no longer needed after the webhook has caught up or has nothing held. */
  #tidy(webhookId: string, state: WebhookState): void {
    if (state.row && !state.row.parked) {
      this.#changed.add(webhookId)
      if (state.held.size === 0) state.row = undefined
    }
    if (!state.row && state.held.size === 0) this.#webhooks.delete(webhookId)
  }
}
