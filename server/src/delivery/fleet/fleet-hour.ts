import type { Clock, Timer } from '../../lib/clock.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { addHours, BUCKETS, bucketAt, type Hour, type LastHour, listRows, rowsOf } from '../../metrics/last-hour.ts'
import type { HourPart, HourParts } from '../../storage/hour-parts.ts'
import type { Reports } from './reports.ts'

const SAVE_EVERY_MS = MINUTE_MS

/** Ended processes that an answer names. */
const MOST_ENDED = 64

/** A process whose counts are in an hour. */
export interface Covered {
  worker: number
  /** `answers`: this one. `answered`: it was asked. `silent`: it did not answer; `ended`: it is no more: what it has saved is counted. */
  state: 'answers' | 'answered' | 'silent' | 'ended'
  /** When it began to count, or the beginning of the hour; undefined where nothing of it is known. */
  sinceMs: number | undefined
}

interface Counted {
  worker: number
  sinceMs: number
  rows: Map<number, ArrayLike<number>>
}

interface FleetHourOptions {
  lastHour: LastHour
  reports: Pick<Reports, 'ask'>
  /** Undefined where no other process shares the database. */
  parts: HourParts | undefined
  livingWorkers: () => Promise<number[]>
  clock: Clock
  /** The name that this process has given itself. */
  self: string
  worker: number
}

/** What the processes have saved, by their names. */
function savedBy(parts: readonly HourPart[]): Map<string, Counted> {
  const found = new Map<string, Counted>()
  for (const { process, worker, sinceMs, rows } of parts) {
    const counted = found.get(process) ?? { worker, sinceMs, rows: new Map() }
    for (const [bucket, row] of rowsOf(rows)) counted.rows.set(bucket, row)
    found.set(process, counted)
  }
  return found
}

/**
 * The last hour of all processes that share the database. Each saves once a minute what it has counted, if it has counted anything, and when
 * it stops; one that died keeps what it saved until that leaves the hour. What is newer is asked for when somebody looks.
 */
export function createFleetHour({ lastHour, reports, parts, livingWorkers, clock, self, worker }: FleetHourOptions) {
  let savedTo = bucketAt(clock.now()) - 1
  let saving: Timer | undefined
  let isStopped = false

  /** Saves the buckets up to this one that are not saved. */
  const save = async (upTo: number) => {
    const hour = lastHour.read()
    const rows = listRows(hour, savedTo).filter(([bucket, ...counts]) => bucket! <= upTo && counts.some((count) => count > 0))
    if (rows.length > 0) await parts!.save({ process: self, worker, sinceMs: hour.sinceMs, bucket: upTo, rows }, upTo - BUCKETS)
    savedTo = upTo
  }
  const later = () => {
    saving = clock.after(SAVE_EVERY_MS, tick, { isUpkeep: true })
  }
  // What cannot be saved is saved with the next minute.
  const tick = () =>
    void save(bucketAt(clock.now()) - 1)
      .catch(() => {})
      .finally(() => isStopped || later())

  const read = async (): Promise<{ hour: Hour; covers: Covered[] }> => {
    const { others } = await reports.ask('counts')
    // Later than the answers, so that what a process saves meanwhile is not missed: its answer has the last minutes as well.
    const saved = savedBy((await parts?.since(bucketAt(clock.now()) - BUCKETS)) ?? [])
    const living = parts ? await livingWorkers() : [worker]
    const own = lastHour.read()
    saved.delete(self)
    for (const { process, worker: of, sinceMs, rows } of others) {
      const counted = saved.get(process) ?? { worker: of, sinceMs, rows: new Map() }
      for (const [bucket, row] of rowsOf(rows)) counted.rows.set(bucket, row)
      saved.set(process, counted)
    }
    const answered = new Set(others.map(({ process }) => process))
    const taken = new Set([worker, ...others.map((other) => other.worker)])
    const silent = living.filter((of) => !taken.has(of))
    const stateOf = (process: string, of: number) => {
      if (answered.has(process)) return 'answered'
      return silent.includes(of) ? 'silent' : 'ended'
    }
    const named = [...saved].map(([process, { worker: of, sinceMs }]): Covered => ({ worker: of, state: stateOf(process, of), sinceMs }))
    const ended = named.filter(({ state }) => state === 'ended').sort((one, other) => other.sinceMs! - one.sinceMs!)
    const covers: Covered[] = [
      { worker, state: 'answers', sinceMs: own.sinceMs },
      ...named.filter(({ state }) => state !== 'ended'),
      ...silent
        .filter((of) => !named.some((one) => one.worker === of))
        .map((of): Covered => ({ worker: of, state: 'silent', sinceMs: undefined })),
      ...ended.slice(0, MOST_ENDED),
    ]
    return { hour: addHours(own, [...saved.values()]), covers }
  }

  return {
    read,
    start() {
      if (parts) later()
    },
    /** Saves the rest. */
    async stop() {
      isStopped = true
      saving?.cancel()
      if (parts) await save(bucketAt(clock.now())).catch(() => {})
    },
  }
}
export type FleetHour = ReturnType<typeof createFleetHour>
