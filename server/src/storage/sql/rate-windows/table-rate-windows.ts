import type { Kysely } from 'kysely'
import { CLOCK_SKEW_MS, type RateWindows, type Window } from '../../rate-windows.ts'
import { createBatchLoader, isolateBadValues } from '../batch-loader.ts'
import { postgresFlavour } from '../flavour.ts'
import type { PreparedQuery } from '../prepared-query.ts'
import { createPurge } from '../purge-expired.ts'
import type { Database } from '../schema.ts'

interface Hit {
  key: string
  windowMs: number
  nowMs: number
  weight: number
}

/** Hits of one key that are counted together: none has a negative weight, or it is a single one. */
type Run = [Hit, ...Hit[]]

/** The latest end of a window for this hit. A window that ends later began before the clock was set back. */
const latestResetMs = ({ nowMs, windowMs }: Hit) => nowMs + windowMs + CLOCK_SKEW_MS

const startsNewWindow = (hit: Hit, resetAtMs: number) => resetAtMs <= hit.nowMs || resetAtMs > latestResetMs(hit)

/**
 * `$1` has for each key its weight, the current time, the end of a window that begins now, and the latest end of a valid window. Rows are
 * locked in the order of their keys, to avoid deadlocks.
 */
const statement = {
  name: 'rate-windows-hit',
  text: `
    insert into rate_windows as known (key, count, reset_at_ms)
    select key, greatest(0, (hit ->> 0)::integer), (hit ->> 2)::bigint from jsonb_each($1::jsonb) as hits (key, hit)
    order by key collate "C"
    on conflict (key) do update set
      (count, reset_at_ms) = (
        select
          case when begins_anew then excluded.count else greatest(0, known.count + (hit ->> 0)::integer) end,
          case when begins_anew then excluded.reset_at_ms else known.reset_at_ms end
        from (select $1::jsonb -> excluded.key) as asked (hit),
          lateral (select known.reset_at_ms <= (hit ->> 1)::bigint or known.reset_at_ms > (hit ->> 3)::bigint) as judged (begins_anew))
    returning key, count, reset_at_ms`,
}

const weightOf = (run: Run) => run.reduce((sum, { weight }) => sum + weight, 0)

/** Removes from the hits of a key, in order, as many as can be counted together. */
function takeRun(hits: Hit[]): Run {
  const takenBack = hits.findIndex(({ weight }) => weight < 0)
  return hits.splice(0, takenBack === -1 ? hits.length : Math.max(1, takenBack)) as Run
}

/**
 * Rate windows that all processes of a database share. The hits of one turn of the event loop are counted with one statement, with one row
 * for each key. The result of each hit is the same as if they had been counted one after the other.
 */
export function createTableRateWindows(db: Kysely<Database>, query: PreparedQuery): RateWindows {
  const purge = createPurge({ unannounced: db, flavour: postgresFlavour }, { table: 'rate_windows', key: 'key', endsAtMs: 'reset_at_ms' })

  /** Counts runs; returns the window after the last hit of each. */
  const countRuns = isolateBadValues<Run, Window>(async (runs) => {
    const rows = runs.map((run) => {
      const [hit] = run
      return [hit.key, [weightOf(run), hit.nowMs, hit.nowMs + hit.windowMs, latestResetMs(hit)]]
    })
    const found = await query<{ key: string; count: number; reset_at_ms: number }>(statement, [JSON.stringify(Object.fromEntries(rows))])
    const windows = new Map(found.map(({ key, count, reset_at_ms }) => [key, { count, resetAtMs: reset_at_ms }]))
    return runs.map(([{ key }]) => windows.get(key)!)
  })

  /**
   * Reports the count of each hit of a run. Returns the hits from the first one that starts a new window: they were counted in a window that
   * has ended, which does no harm, and are counted again in their own.
   */
  const place = (run: Run, { count, resetAtMs }: Window, tell: (hit: Hit, window: Window) => void): Hit[] => {
    let before = count - weightOf(run)
    for (const [at, hit] of run.entries()) {
      if (at > 0 && startsNewWindow(hit, resetAtMs)) return run.slice(at)
      before += hit.weight
      tell(hit, { count: hit.weight < 0 ? count : before, resetAtMs })
    }
    return []
  }

  /** Counts one run of each key. Returns the remaining hits. */
  const countSome = async (left: Map<string, Hit[]>, tell: (hit: Hit, window: Window | Error) => void) => {
    const runs = [...left.values()].map(takeRun)
    const windows = await countRuns(runs)
    for (const [at, run] of runs.entries()) {
      const window = windows[at]!
      if (window instanceof Error) for (const hit of run) tell(hit, window)
      else left.get(run[0].key)!.unshift(...place(run, window, tell))
    }
    return new Map([...left].filter(([, hits]) => hits.length > 0))
  }

  const countAll = async (hits: readonly Hit[]): Promise<(Window | Error)[]> => {
    const windows = new Map<Hit, Window | Error>()
    let left = Map.groupBy(hits, ({ key }) => key)
    try {
      await purge(hits.length, Math.min(...hits.map(({ nowMs }) => nowMs)))
      while (left.size > 0) left = await countSome(left, (hit, window) => windows.set(hit, window))
    } catch (error) {
      // Hits that were counted before the error keep their result.
      return hits.map((hit) => windows.get(hit) ?? (error as Error))
    }
    return hits.map((hit) => windows.get(hit)!)
  }

  const count = createBatchLoader<Hit, Window>(countAll)
  return { hit: (key, windowMs, nowMs, weight = 1) => count({ key, windowMs, nowMs, weight }) }
}
