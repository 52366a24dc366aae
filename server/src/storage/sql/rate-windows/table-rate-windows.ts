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

/** Hits of one key that are counted as one: none of them takes anything back, or it is the only one. */
type Run = [Hit, ...Hit[]]

/** When a window that this hit is counted in ends at the latest. One that ends later began before the clock was set back. */
const latestResetMs = ({ nowMs, windowMs }: Hit) => nowMs + windowMs + CLOCK_SKEW_MS

const beginsAnew = (hit: Hit, resetAtMs: number) => resetAtMs <= hit.nowMs || resetAtMs > latestResetMs(hit)

/**
 * `$1` has for each key its weight, the moment, when a window ends that begins now, and when at the latest one that holds. Rows are
 * locked in order of their keys, so that processes never wait for one another in a circle.
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

/** Takes from the hits of a key, in their order, as many as can be counted as one. */
function takeRun(hits: Hit[]): Run {
  const takenBack = hits.findIndex(({ weight }) => weight < 0)
  return hits.splice(0, takenBack === -1 ? hits.length : Math.max(1, takenBack)) as Run
}

/**
 * Rate windows that all processes of a database share. The hits of one round are counted with one statement, with one row for each
 * key, and each is told its place: what they come to is the same as if they had come one after the other.
 */
export function createTableRateWindows(db: Kysely<Database>, query: PreparedQuery): RateWindows {
  const purge = createPurge({ unannounced: db, flavour: postgresFlavour }, { table: 'rate_windows', key: 'key', endsAtMs: 'reset_at_ms' })

  /** The windows after the last hit of each run. */
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
   * Tells each hit of a run its place. Answers those from the first on that begins a window anew: they were counted in one that has ended,
   * which does no harm, and are counted again in their own.
   */
  const place = (run: Run, { count, resetAtMs }: Window, tell: (hit: Hit, window: Window) => void): Hit[] => {
    let before = count - weightOf(run)
    for (const [at, hit] of run.entries()) {
      if (at > 0 && beginsAnew(hit, resetAtMs)) return run.slice(at)
      before += hit.weight
      tell(hit, { count: hit.weight < 0 ? count : before, resetAtMs })
    }
    return []
  }

  /** Counts the hits that are left, one run of each key. Answers those that are left after it. */
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
      // Those that were counted before are told so.
      return hits.map((hit) => windows.get(hit) ?? (error as Error))
    }
    return hits.map((hit) => windows.get(hit)!)
  }

  const count = createBatchLoader<Hit, Window>(countAll)
  return { hit: (key, windowMs, nowMs, weight = 1) => count({ key, windowMs, nowMs, weight }) }
}
