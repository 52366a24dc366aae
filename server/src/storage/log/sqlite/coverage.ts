import { createOpenSequences } from './open-sequences.ts'

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

interface Covered {
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
export function createCoverage() {
  const webhooks = new Map<string, Covered>()
  const open = createOpenSequences()
  const changed = new Set<string>()
  let lastCommitted = 0
  let watermark = 0
  /** Until the file has been scanned: up to here everything is held, waiting or acknowledged. Undefined afterwards. */
  let scannedTo: number | undefined = 0

  const covered = (webhookId: string): Covered => {
    let found = webhooks.get(webhookId)
    if (!found) {
      found = { held: new Set() }
      webhooks.set(webhookId, found)
    }
    return found
  }

  /** Where the row of a webhook begins now, or null when it needs none. */
  const beginning = (webhookId: string): number | null => {
    const { row, held } = webhooks.get(webhookId) ?? {}
    if (!row || !held) return null
    let lowest = row.parked ? row.cursor : (scannedTo ?? lastCommitted)
    for (const sequence of held) lowest = Math.min(lowest, sequence - 1)
    return lowest
  }

  const tidy = (webhookId: string, state: Covered) => {
    if (state.row && !state.row.parked) {
      changed.add(webhookId)
      if (state.held.size === 0) state.row = undefined
    }
    if (!state.row && state.held.size === 0) webhooks.delete(webhookId)
  }

  return {
    /** At the start: what the file says. */
    load(marks: { watermark: number; lastSequence: number; rows: [webhookId: string, beginning: number][] }) {
      watermark = marks.watermark
      scannedTo = marks.watermark
      lastCommitted = marks.lastSequence
      for (const [webhookId, cursor] of marks.rows) covered(webhookId).row = { cursor, parked: true }
    },
    /** Everything up to here is committed and handed out or waiting. */
    committed(sequence: number) {
      lastCommitted = Math.max(lastCommitted, sequence)
    },
    /** The scan of the file has come so far. */
    reached(sequence: number) {
      scannedTo = sequence
    },
    /** The scan has ended: from here on the watermark may move. */
    scanned() {
      open.sort()
      scannedTo = undefined
    },
    isParked: (webhookId: string) => webhooks.get(webhookId)?.row?.parked === true,
    parkedOnes: () => [...webhooks].filter(([, { row }]) => row?.parked).map(([webhookId]) => webhookId),
    hold(webhookId: string, sequence: number) {
      const state = covered(webhookId)
      state.held.add(sequence)
      if (!state.row) open.add(sequence)
    },
    /** False when it is not held. */
    acknowledge(webhookId: string, sequence: number): boolean {
      const state = webhooks.get(webhookId)
      if (!state?.held.delete(sequence)) return false
      if (!state.row) open.remove(sequence)
      tidy(webhookId, state)
      return true
    },
    /** From here on the webhook's new deliveries wait, and so do the given ones that were held. */
    park(webhookId: string, unsent: readonly number[]) {
      const state = covered(webhookId)
      if (!state.row) for (const sequence of state.held) open.remove(sequence)
      let cursor = state.row?.parked ? state.row.cursor : (scannedTo ?? lastCommitted)
      for (const sequence of unsent) if (state.held.delete(sequence)) cursor = Math.min(cursor, sequence - 1)
      state.row = { cursor, parked: true }
      changed.add(webhookId)
    },
    /** Where reading a parked webhook goes on, and what above that is held; undefined when it is not parked. */
    reading(webhookId: string): Reading | undefined {
      const { row, held } = webhooks.get(webhookId) ?? {}
      if (!row?.parked || !held) return undefined
      return { after: row.cursor, except: [...held].filter((sequence) => sequence > row.cursor), row }
    },
    /**
     * What reading found is held now, in growing order; when it was nothing, the webhook has caught up. Unless it was parked anew
     * meanwhile: then reading begins again where that says. False when nothing was found and it has to begin again at once.
     */
    read(webhookId: string, { row }: Reading, found: readonly number[]): boolean {
      const state = covered(webhookId)
      for (const sequence of found) state.held.add(sequence)
      const isAsBefore = state.row === row
      if (isAsBefore && found.length > 0) row.cursor = found.at(-1)!
      if (isAsBefore && found.length === 0) row.parked = false
      changed.add(webhookId)
      tidy(webhookId, state)
      return isAsBefore || found.length > 0
    },
    /** What the commit that begins now has to write. It must carry every settlement made so far. */
    marks(): Marks {
      const rows = new Map([...changed].map((webhookId) => [webhookId, beginning(webhookId)]))
      changed.clear()
      const next = scannedTo === undefined ? (open.lowest() ?? lastCommitted + 1) - 1 : watermark
      return { watermark: next > watermark ? next : null, rows }
    },
    written(marks: Marks) {
      watermark = marks.watermark ?? watermark
    },
    /** The commit failed: what it was to write is written by the next. */
    unwritten(marks: Marks) {
      for (const webhookId of marks.rows.keys()) changed.add(webhookId)
    },
    /** Everything was deleted. */
    clear() {
      webhooks.clear()
      open.clear()
      changed.clear()
      lastCommitted = 0
      watermark = 0
    },
  }
}
export type Coverage = ReturnType<typeof createCoverage>
