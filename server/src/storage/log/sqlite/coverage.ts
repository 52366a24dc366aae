import { createUnacknowledged } from './unacknowledged.ts'

/** What of a webhook waits in the log: everything above `cursor` that is neither acknowledged nor held. Parking anew makes a new one. */
interface Row {
  cursor: number
  parked: boolean
}

/** A reading that was begun: what to read, and the row that it was begun with. */
export interface Reading {
  after: number
  except: number[]
  row: Row
}

interface WebhookState {
  /** Sequence numbers handed out, not yet acknowledged, never tried before. */
  held: Set<number>
  row?: Row
}

/** What the next commit writes: the new watermark, and for each webhook whose row changed where it begins, or null when it has none. */
export interface Marks {
  watermark: number | null
  rows: Map<string, number | null>
}

/**
 * Knows which deliveries were never tried, so that a restart finds each of them again. Every webhook is covered in one of two ways, never both:
 *
 *   by the watermark   everything at or below it has been tried, for all webhooks without a row;
 *   by its own row     everything at or below the row's number has been tried, for this webhook.
 *
 * A webhook gets its row when it is parked. Once it has caught up it is parked no longer, but the row stays until nothing that it
 * covers is held: only then does the watermark speak for it. Both numbers may lag behind the truth and must never be ahead of it.
 * Deliveries that were tried and failed have a retry row and are no concern of this.
 */
export class Coverage {
  readonly #webhooks = new Map<string, WebhookState>()
  readonly #open = createUnacknowledged()
  readonly #changed = new Set<string>()
  #lastCommitted = 0
  #watermark = 0
  /** Until the file has been scanned: up to here everything is held, waiting or acknowledged. Undefined afterwards. */
  #scannedTo: number | undefined = 0

  /** At the start: what the file says. */
  load(marks: { watermark: number; lastSequence: number; rows: [webhookId: string, beginning: number][] }): void {
    this.#watermark = marks.watermark
    this.#scannedTo = marks.watermark
    this.#lastCommitted = marks.lastSequence
    for (const [webhookId, cursor] of marks.rows) this.#stateOf(webhookId).row = { cursor, parked: true }
  }

  /** Everything up to here is committed and handed out or waiting. */
  committed(sequence: number): void {
    this.#lastCommitted = Math.max(this.#lastCommitted, sequence)
  }

  /** The scan of the file has come so far. */
  reached(sequence: number): void {
    this.#scannedTo = sequence
  }

  /** The scan has ended: from here on the watermark may move. */
  scanned(): void {
    this.#open.sort()
    this.#scannedTo = undefined
  }

  isParked(webhookId: string): boolean {
    return this.#webhooks.get(webhookId)?.row?.parked === true
  }

  /** How many of the webhook's deliveries are handed out, not yet acknowledged and never tried before. */
  heldCount(webhookId: string): number {
    return this.#webhooks.get(webhookId)?.held.size ?? 0
  }

  parkedWebhooks(): string[] {
    return [...this.#webhooks].filter(([, { row }]) => row?.parked).map(([webhookId]) => webhookId)
  }

  hold(webhookId: string, sequence: number): void {
    const state = this.#stateOf(webhookId)
    state.held.add(sequence)
    if (!state.row) this.#open.add(sequence)
  }

  /** False when it is not held. */
  acknowledge(webhookId: string, sequence: number): boolean {
    const state = this.#webhooks.get(webhookId)
    if (!state?.held.delete(sequence)) return false
    if (!state.row) this.#open.remove(sequence)
    this.#tidy(webhookId, state)
    return true
  }

  /** From here on the webhook's new deliveries wait, and so do the given ones that were held. */
  park(webhookId: string, unsent: readonly number[]): void {
    const state = this.#stateOf(webhookId)
    if (!state.row) for (const sequence of state.held) this.#open.remove(sequence)
    let cursor = state.row?.parked ? state.row.cursor : this.#newest()
    for (const sequence of unsent) if (state.held.delete(sequence)) cursor = Math.min(cursor, sequence - 1)
    state.row = { cursor, parked: true }
    this.#changed.add(webhookId)
  }

  /** Where reading a parked webhook goes on, and what above that is held; undefined when it is not parked. */
  reading(webhookId: string): Reading | undefined {
    const { row, held } = this.#webhooks.get(webhookId) ?? {}
    if (!row?.parked || !held) return undefined
    return { after: row.cursor, except: [...held].filter((sequence) => sequence > row.cursor), row }
  }

  /**
   * What reading found is held now, in growing order; when it was nothing, the webhook has caught up. Unless it was parked anew
   * meanwhile: then reading begins again where that says. False when nothing was found and it has to begin again at once.
   */
  read(webhookId: string, { row }: Reading, found: readonly number[]): boolean {
    const state = this.#stateOf(webhookId)
    for (const sequence of found) state.held.add(sequence)
    const isAsBefore = state.row === row
    if (isAsBefore && found.length > 0) row.cursor = found.at(-1)!
    if (isAsBefore && found.length === 0) row.parked = false
    this.#changed.add(webhookId)
    this.#tidy(webhookId, state)
    return isAsBefore || found.length > 0
  }

  /** What the commit that begins now has to write. It must carry every acknowledgement made so far. */
  marks(): Marks {
    const rows = new Map([...this.#changed].map((webhookId) => [webhookId, this.#beginning(webhookId)]))
    this.#changed.clear()
    const next = this.#scannedTo === undefined ? (this.#open.oldest() ?? this.#lastCommitted + 1) - 1 : this.#watermark
    return { watermark: next > this.#watermark ? next : null, rows }
  }

  written(marks: Marks): void {
    this.#watermark = marks.watermark ?? this.#watermark
  }

  /** The commit failed: what it was to write is written by the next. */
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

  /** Where the row of a webhook begins now, or null when it needs none. */
  #beginning(webhookId: string): number | null {
    const { row, held } = this.#webhooks.get(webhookId) ?? {}
    if (!row || !held) return null
    let lowest = row.parked ? row.cursor : this.#newest()
    for (const sequence of held) lowest = Math.min(lowest, sequence - 1)
    return lowest
  }

  #tidy(webhookId: string, state: WebhookState): void {
    if (state.row && !state.row.parked) {
      this.#changed.add(webhookId)
      if (state.held.size === 0) state.row = undefined
    }
    if (!state.row && state.held.size === 0) this.#webhooks.delete(webhookId)
  }
}
