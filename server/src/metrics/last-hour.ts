import { ATTEMPT_BOUNDS_MS, type Metrics, type RefusalReason, refusalReasons } from './metrics.ts'

export const BUCKET_MS = 10_000
const BUCKETS = 360
/** Rates and durations of now are those of the buckets of the last minute. */
const RECENT_BUCKETS = 6

const counted = ['accepted', 'delivered', 'failed', 'not_sent'] as const
type Counted = (typeof counted)[number]

/** The columns of a bucket: what is counted, refusals by reason, deliveries by how long they took. */
const REFUSALS_AT = counted.length
const DURATIONS_AT = REFUSALS_AT + refusalReasons.length
const COLUMNS = DURATIONS_AT + ATTEMPT_BOUNDS_MS.length + 1

/** The duration that a share of deliveries did not exceed, in milliseconds, by straight lines between the bounds; null without deliveries. */
function quantile(counts: ArrayLike<number>, share: number): number | null {
  const total = Array.from(counts).reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = share * total
  for (const [place, bound] of ATTEMPT_BOUNDS_MS.entries()) {
    const count = counts[place]!
    const from = ATTEMPT_BOUNDS_MS[place - 1] ?? 0
    if (count > 0 && left <= count) return Math.round(from + ((bound - from) * left) / count)
    left -= count
  }
  return ATTEMPT_BOUNDS_MS.at(-1)!
}

/** Adds what is counted so far into one row of columns. */
function readInto(row: Float64Array, { deliveries, requests }: Metrics) {
  row.fill(0)
  const { events, attempts, notSent, delivered } = deliveries.read()
  row[0] = events
  row[3] = notSent
  for (const by of attempts) {
    row[1]! += by.delivered
    row[2]! += by.failed
  }
  requests.addRefusals(row.subarray(REFUSALS_AT, DURATIONS_AT))
  row.set(delivered.counts, DURATIONS_AT)
}

/** What happened in a stretch of time. */
type Sums = Record<Counted, number> & { refused: Record<RefusalReason, number>; p50Ms: number | null; p99Ms: number | null }

/** Each has one value for each bucket, oldest first. */
export interface Series {
  /** When the first bucket begins. */
  fromMs: number
  counted: Record<Counted, number[]>
  refused: Record<RefusalReason, number[]>
  p50Ms: (number | null)[]
  p99Ms: (number | null)[]
}

export interface LastHour {
  /** Adds what was counted since the last time to the bucket of that time. Call it when a bucket ends. */
  sample(): void
  /** Samples if a bucket has ended. */
  sampleEnded(): void
  /** When this process began to count, or the beginning of the hour. */
  sinceMs(): number
  /** The seconds that the last minute covers, and what happened in it. */
  lastMinute(): Sums & { seconds: number }
  total(): Sums
  series(): Series
}

/**
 * The last hour of what is counted, in buckets of ten seconds and a fixed 35 KB. The counters are those of the metrics: a bucket has their
 * differences. Buckets are of the wall clock: if it is set back, those beyond it are dropped.
 */
export function createLastHour(metrics: Metrics, now: () => number): LastHour {
  const slotAt = (ms: number) => Math.floor(ms / BUCKET_MS)
  const slots = new Float64Array(BUCKETS).fill(-1)
  const counts = new Uint32Array(BUCKETS * COLUMNS)
  let former = new Float64Array(COLUMNS)
  let current = new Float64Array(COLUMNS)
  let sampledMs = now()
  let startedMs = sampledMs
  readInto(former, metrics)

  const rowAt = (place: number) => counts.subarray(place * COLUMNS, (place + 1) * COLUMNS)

  /** The row of a bucket, which is empty when it begins. */
  const rowOf = (slot: number) => {
    const place = slot % BUCKETS
    if (slots[place] !== slot) rowAt(place).fill(0)
    slots[place] = slot
    return rowAt(place)
  }

  const dropAfter = (slot: number) => {
    for (const [place, known] of slots.entries()) if (known > slot) slots[place] = -1
  }

  const sample = () => {
    readInto(current, metrics)
    const row = rowOf(slotAt(sampledMs))
    for (let column = 0; column < COLUMNS; column++) row[column]! += current[column]! - former[column]!
    ;[former, current] = [current, former]
    const nowMs = now()
    if (nowMs < sampledMs) {
      dropAfter(slotAt(nowMs))
      startedMs = Math.min(startedMs, nowMs)
    }
    sampledMs = nowMs
  }

  /** The rows of the last buckets, oldest first; undefined where nothing was counted. */
  const lastRows = (count: number) => {
    sample()
    const newest = slotAt(sampledMs)
    return Array.from({ length: count }, (_, place) => {
      const slot = newest - count + 1 + place
      return slots[slot % BUCKETS] === slot ? rowAt(slot % BUCKETS) : undefined
    })
  }

  const beginOf = (buckets: number) => (slotAt(sampledMs) - buckets + 1) * BUCKET_MS

  const sum = (rows: readonly (Uint32Array | undefined)[]): Sums => {
    const sums = new Float64Array(COLUMNS)
    for (const row of rows) if (row) for (const [column, value] of row.entries()) sums[column]! += value
    const durations = sums.subarray(DURATIONS_AT)
    const entries = <Name extends string>(names: readonly Name[], from: number) =>
      Object.fromEntries(names.map((name, place) => [name, sums[from + place]!])) as Record<Name, number>
    return {
      ...entries(counted, 0),
      refused: entries(refusalReasons, REFUSALS_AT),
      p50Ms: quantile(durations, 0.5),
      p99Ms: quantile(durations, 0.99),
    }
  }

  return {
    sample,
    sampleEnded() {
      if (slotAt(now()) !== slotAt(sampledMs)) sample()
    },
    sinceMs: () => Math.max(startedMs, beginOf(BUCKETS)),
    lastMinute() {
      const rows = lastRows(RECENT_BUCKETS + 1)
      const ms = sampledMs - Math.max(startedMs, beginOf(RECENT_BUCKETS + 1))
      return { seconds: Math.max(1, ms / 1000), ...sum(rows) }
    },
    total: () => sum(lastRows(BUCKETS)),
    series() {
      const rows = lastRows(BUCKETS)
      const columns = <Name extends string>(names: readonly Name[], from: number) =>
        Object.fromEntries(names.map((name, place) => [name, rows.map((row) => row?.[from + place] ?? 0)])) as Record<Name, number[]>
      const durations = (share: number) => rows.map((row) => (row ? quantile(row.subarray(DURATIONS_AT), share) : null))
      return {
        fromMs: beginOf(BUCKETS),
        counted: columns(counted, 0),
        refused: columns(refusalReasons, REFUSALS_AT),
        p50Ms: durations(0.5),
        p99Ms: durations(0.99),
      }
    },
  }
}
