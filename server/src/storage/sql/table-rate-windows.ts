import { type Kysely, sql } from 'kysely'
import { CLOCK_SKEW_MS, type RateWindows } from '../rate-windows.ts'
import { postgresFlavour } from './flavour.ts'
import type { Database } from './schema.ts'
import { createSweep } from './sweep.ts'

/** Rate windows that all processes of a database share. */
export function createTableRateWindows(db: Kysely<Database>): RateWindows {
  const sweep = createSweep({ db, flavour: postgresFlavour }, { table: 'rate_windows', key: 'key', endsAtMs: 'reset_at_ms' })

  return {
    async hit(key, windowMs, nowMs, weight = 1) {
      await sweep(1, nowMs)
      const isOver = sql`(kept.reset_at_ms <= ${nowMs} or kept.reset_at_ms > ${nowMs + windowMs + CLOCK_SKEW_MS})`
      const { rows } = await sql<{ count: number; reset_at_ms: number }>`
        insert into rate_windows as kept (key, count, reset_at_ms) values (${key}, ${Math.max(0, weight)}, ${nowMs + windowMs})
        on conflict (key) do update set
          count = case when ${isOver} then excluded.count else greatest(0, kept.count + ${weight}) end,
          reset_at_ms = case when ${isOver} then excluded.reset_at_ms else kept.reset_at_ms end
        returning count, reset_at_ms`.execute(db)
      return { count: rows[0]!.count, resetAtMs: rows[0]!.reset_at_ms }
    },
  }
}
