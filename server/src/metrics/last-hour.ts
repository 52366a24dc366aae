import { ATTEMPT_BOUNDS_MS, type Metrics, type RefusalReason, refusalReasons } from './metrics.ts'

export const BUCKET_MS = 10_000
/** Those of an hour. */
export const BUCKETS = 360
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

/** What was counted in the last hour, of one process or of several. */
export interface Hour {
  /** When counting began, or the beginning of the hour. */
  sinceMs: number
  /** Until when it is counted. */
  untilMs: number
  /** The columns of the buckets in which something was counted, by the number of the bucket since 1970. */
  rows: ReadonlyMap<number, ArrayLike<number>>
}

export const bucketAt = (ms: number) => Math.floor(ms / BUCKET_MS)
const beginOf = ({ untilMs }: Hour, buckets: number) => (bucketAt(untilMs) - buckets + 1) * BUCKET_MS

/** Adds to an hour what others counted in it. */
export function addHours(own: Hour, others: readonly Pick<Hour, 'sinceMs' | 'rows'>[]): Hour {
  const newest = bucketAt(own.untilMs)
  const rows = new Map<number, Float64Array>()
  for (const hour of [own, ...others])
    for (const [bucket, row] of hour.rows) {
      if (bucket > newest || bucket <= newest - BUCKETS) continue
      const sum = rows.get(bucket) ?? new Float64Array(COLUMNS)
      for (let column = 0; column < COLUMNS; column++) sum[column]! += row[column]!
      rows.set(bucket, sum)
    }
  const sinceMs = Math.max(Math.min(own.sinceMs, ...others.map((other) => other.sinceMs)), beginOf(own, BUCKETS))
  return { sinceMs, untilMs: own.untilMs, rows }
}

/** Rows as plain lists that begin with the number of the bucket: those above a bucket. */
export const listRows = ({ rows }: Pick<Hour, 'rows'>, after: number): number[][] =>
  [...rows].filter(([bucket]) => bucket > after).map(([bucket, row]) => [bucket, ...Array.from(row)])

/** Reads what `listRows` made. What another version counts differently is left out. */
export function rowsOf(lists: readonly unknown[]): Map<number, number[]> {
  const isRow = (list: unknown): list is number[] =>
    Array.isArray(list) && list.length === COLUMNS + 1 && list.every((value) => Number.isSafeInteger(value) && value >= 0)
  return new Map(lists.filter(isRow).map(([bucket, ...row]) => [bucket!, row]))
}

const rowsIn = (hour: Hour, buckets: number) => {
  const first = bucketAt(hour.untilMs) - buckets + 1
  return Array.from({ length: buckets }, (_, place) => hour.rows.get(first + place))
}

function sum(rows: readonly (ArrayLike<number> | undefined)[]): Sums {
  const sums = new Float64Array(COLUMNS)
  for (const row of rows) if (row) for (let column = 0; column < COLUMNS; column++) sums[column]! += row[column]!
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

/** The seconds that the last minute covers, and what happened in it. */
export function lastMinuteOf(hour: Hour): Sums & { seconds: number } {
  const ms = hour.untilMs - Math.max(hour.sinceMs, beginOf(hour, RECENT_BUCKETS + 1))
  return { seconds: Math.max(1, ms / 1000), ...sum(rowsIn(hour, RECENT_BUCKETS + 1)) }
}

export const totalOf = (hour: Hour): Sums => sum(rowsIn(hour, BUCKETS))

export function seriesOf(hour: Hour): Series {
  const rows = rowsIn(hour, BUCKETS)
  const columns = <Name extends string>(names: readonly Name[], from: number) =>
    Object.fromEntries(names.map((name, place) => [name, rows.map((row) => row?.[from + place] ?? 0)])) as Record<Name, number[]>
  const durations = (share: number) => rows.map((row) => (row ? quantile(Array.from(row).slice(DURATIONS_AT), share) : null))
  return {
    fromMs: beginOf(hour, BUCKETS),
    counted: columns(counted, 0),
    refused: columns(refusalReasons, REFUSALS_AT),
    p50Ms: durations(0.5),
    p99Ms: durations(0.99),
  }
}

export interface LastHour {
  /** Adds what was counted since the last time to the bucket of that time. Call it when a bucket ends. */
  sample(): void
  /** Samples if a bucket has ended. */
  sampleEnded(): void
  /** What was counted until now. */
  read(): Hour
}

/**
 * The last hour of what is counted, in buckets of ten seconds and a fixed 35 KB. The counters are those of the metrics: a bucket has their
 * differences. Buckets are of the wall clock: if it is set back, those beyond it are dropped.
 */
export function createLastHour(metrics: Metrics, now: () => number): LastHour {
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
    const row = rowOf(bucketAt(sampledMs))
    for (let column = 0; column < COLUMNS; column++) row[column]! += current[column]! - former[column]!
    ;[former, current] = [current, former]
    const nowMs = now()
    if (nowMs < sampledMs) {
      dropAfter(bucketAt(nowMs))
      startedMs = Math.min(startedMs, nowMs)
    }
    sampledMs = nowMs
  }

  return {
    sample,
    sampleEnded() {
      if (bucketAt(now()) !== bucketAt(sampledMs)) sample()
    },
    read() {
      sample()
      const newest = bucketAt(sampledMs)
      const kept = [...slots].filter((slot) => slot > newest - BUCKETS && slot <= newest).sort((one, other) => one - other)
      const rows = new Map(kept.map((slot) => [slot, rowAt(slot % BUCKETS).slice()]))
      return { sinceMs: Math.max(startedMs, (newest - BUCKETS + 1) * BUCKET_MS), untilMs: sampledMs, rows }
    },
  }
}
