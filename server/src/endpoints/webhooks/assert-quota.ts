import { Problem } from '../../api/declare/problem.ts'
import { isUsedUp } from '../../delivery/quotas.ts'
import { monthOf } from '../../lib/time.ts'
import type { AppLoads } from '../../storage/app-loads.ts'
import type { App, AppUsage } from '../../storage/apps.ts'

export interface QuotaServices {
  usage: AppUsage
  now: () => number
}

export interface RowQuotaServices {
  appLoads: Pick<AppLoads, 'countRows'>
}

const NONE = { events: 0, deliveries: 0 }

/** Throws `usage-capped` (§7) when the app has been given as many events or deliveries this month (UTC) as its quotas allow. */
export async function assertQuotas({ id, eventQuota, deliveryQuota }: App, { usage, now }: QuotaServices): Promise<void> {
  if (eventQuota === null && deliveryQuota === null) return
  const { events, deliveries } = (await usage.of([id], monthOf(now()))).get(id) ?? NONE
  if (!isUsedUp({ events: eventQuota, deliveries: deliveryQuota }, { events, deliveries })) return
  const isOfEvents = eventQuota !== null && events >= eventQuota
  const which = isOfEvents ? `${eventQuota} events` : `${deliveryQuota} deliveries`
  throw new Problem('usage-capped', {
    detail: `Usage cap exceeded: Monthly product cap. This app has used up its quota of ${which} of this month (UTC). What it was not sent can be replayed for 24 hours, once there is room.`,
    period: 'Monthly',
    scope: 'Product',
  })
}

/** `usage-capped` (§7) of an app that has as many rows as its quota allows. */
export const rowQuotaUsedUp = ({ rowQuota }: App) =>
  new Problem('usage-capped', {
    detail: `Usage cap exceeded: Product cap. This app has its ${rowQuota} rows: webhooks, subscriptions, tokens of users and OAuth 2.0 grants. Delete some first.`,
    scope: 'Product',
  })

/** Throws `usage-capped` when the app has as many rows as its quota allows, before anything is done. The transaction that adds one counts again. */
export async function assertRowQuota(app: App, { appLoads }: RowQuotaServices): Promise<void> {
  const { id, rowQuota } = app
  if (rowQuota !== null && ((await appLoads.countRows([id])).get(id) ?? 0) >= rowQuota) throw rowQuotaUsedUp(app)
}
