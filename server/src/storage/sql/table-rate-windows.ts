import { type Kysely, sql } from 'kysely'
import type { RateWindows } from '../rate-windows.ts'
import type { Database } from './schema.ts'

/** Every so many calls of this process, one slice of windows that ended is deleted. A call adds one row at most, so slices keep up. */
const SWEEP_EVERY = 256
const SLICE_ROWS = 512

/** Rate windows that all processes of a database share. */
export function createTableRateWindows(db: Kysely<Database>): RateWindows {
  let hits = 0

  const sweep = (nowMs: number) =>
    sql`delete from rate_windows where key in (
      select key from rate_windows where reset_at_ms <= ${nowMs} limit ${SLICE_ROWS} for update skip locked)`.execute(db)

  return {
    async hit(key, windowMs, nowMs) {
      hits++
      if (hits % SWEEP_EVERY === 0) await sweep(nowMs)
      const { rows } = await sql<{ count: number; reset_at_ms: number }>`
        insert into rate_windows as kept (key, count, reset_at_ms) values (${key}, 1, ${nowMs + windowMs})
        on conflict (key) do update set
          count = case when kept.reset_at_ms <= ${nowMs} then 1 else kept.count + 1 end,
          reset_at_ms = case when kept.reset_at_ms <= ${nowMs} then excluded.reset_at_ms else kept.reset_at_ms end
        returning count, reset_at_ms`.execute(db)
      return { count: rows[0]!.count, resetAtMs: rows[0]!.reset_at_ms }
    },
  }
}
