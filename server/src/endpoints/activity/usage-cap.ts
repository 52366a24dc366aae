import { Problem } from '../../api/declare/problem.ts'
import { monthOf } from '../../lib/time.ts'
import type { AppUsage } from '../../storage/app-usage.ts'
import type { App } from '../../storage/apps.ts'

/** Throws `usage-capped` (§7) when the app has been given as many deliveries this month (UTC) as its cap allows. */
export async function assertUsage({ id, usageCap }: App, usage: AppUsage, nowMs: number) {
  if (usageCap === null || (await usage.deliveries(id, monthOf(nowMs))) < usageCap) return
  const detail = `Usage cap exceeded: Monthly product cap. This app has been given its ${usageCap} deliveries of this month (UTC).`
  throw new Problem('usage-capped', { detail, period: 'Monthly', scope: 'Product' })
}
