import type { Clock, Timer } from '../../lib/clock.ts'
import { createSemaphore } from '../../lib/mutex.ts'
import { createSharedRead } from '../../lib/shared-read.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import { type AppLoad, addRows, type LoadRows, mergeRows, minuteAt, readRows, writeRows } from '../../metrics/app-load.ts'
import type { AppLoads } from '../../storage/app-loads.ts'
import type { Reports } from './reports.ts'

const SAVE_EVERY_MS = MINUTE_MS
/** Minutes stand by themselves so long, then they are added up to hours. */
const MINUTES_KEPT_MS = 2 * HOUR_MS
/** How long the load is kept. */
const LOAD_KEPT_MS = 25 * HOUR_MS

interface FleetLoadOptions {
  load: AppLoad
  loads: AppLoads
  reports: Reports
  clock: Clock
  /** The name that this process has given itself. */
  self: string
}

/** The load in a window, and the window: a minute or, longer ago, an hour is in it or not. */
export interface WindowLoad {
  fromMs: number
  toMs: number
  rows: LoadRows
}

const hourOf = (ms: number) => minuteAt(ms - (ms % HOUR_MS))

/**
 * The load by app of all processes that share the database. Each saves once a minute what it has counted, and when somebody looks: so a reading
 * is complete, and one that dies loses a minute.
 */
export function createFleetLoad({ load, loads, reports, clock, self }: FleetLoadOptions) {
  const alone = createSemaphore(1, Number.POSITIVE_INFINITY)
  let hours = 0
  let folded = Number.NEGATIVE_INFINITY
  let saving: Timer | undefined
  let isStopped = false

  const save = () =>
    alone(async () => {
      const minutes = load.take()
      for (const [place, { minute, rows }] of minutes.entries()) {
        const part = { process: self, part: minute, bucket: minute, minutes: 1, counts: writeRows(rows) }
        await loads.save(part, mergeRows).catch((error) => {
          load.putBack(minutes.slice(place))
          throw error
        })
      }
    })

  /** Once an hour, by whichever process is first. */
  const fold = async () => {
    const hour = hourOf(clock.now())
    if (hour === folded) return
    const until = {
      before: hourOf(clock.now() - MINUTES_KEPT_MS),
      oldest: hourOf(clock.now() - LOAD_KEPT_MS),
      process: self,
      merge: mergeRows,
    }
    for (let more = true; more && !isStopped; ) {
      hours += 1
      more = await loads.fold({ ...until, part: -hours })
    }
    folded = hour
  }

  const later = () => {
    saving = clock.after(SAVE_EVERY_MS, tick, { isUpkeep: true })
  }
  // What cannot be saved is saved with the next minute.
  const tick = () =>
    void save()
      .then(fold)
      .catch(() => {})
      .finally(() => isStopped || later())

  // Who look at the same time share what is saved.
  const saveAll = createSharedRead(clock, 0, () => Promise.all([save(), reports.ask('load')]))

  return {
    /** For a process that asks. */
    save,
    async read(fromMs: number, toMs: number): Promise<WindowLoad> {
      await saveAll()
      const from = Math.max(minuteAt(fromMs), hourOf(clock.now() - LOAD_KEPT_MS))
      const parts = await loads.between(from, Math.ceil(toMs / MINUTE_MS))
      const first = Math.min(from, ...parts.map(({ bucket }) => bucket))
      const last = Math.max(Math.ceil(toMs / MINUTE_MS), ...parts.map(({ bucket, minutes }) => bucket + minutes))
      const rows = parts.reduce<LoadRows>((sum, { counts }) => addRows(sum, readRows(counts)), new Map())
      return { fromMs: first * MINUTE_MS, toMs: last * MINUTE_MS, rows }
    },
    start: later,
    /** Saves the rest. */
    async stop() {
      isStopped = true
      saving?.cancel()
      await save().catch(() => {})
    },
  }
}
export type FleetLoad = ReturnType<typeof createFleetLoad>
