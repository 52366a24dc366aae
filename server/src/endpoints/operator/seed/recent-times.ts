import { DAY_MS } from '../../../lib/time.ts'
import type { AppStore } from '../../../storage/apps.ts'
import type { Metadata } from '../../../storage/metadata.ts'
import type { SeedDocument } from './seed-document.ts'

/** The beginning of the day after the latest time in the demo seed. */
export const DEMO_IS_OF_MS = Date.UTC(2026, 10, 22)

/** By how many days the times of the demo seed were moved in this database. A later start moves them alike, so that nothing differs. */
const MOVED_DAYS = 'demo_seed_moved_days'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/

/** A value with every time in it moved. */
function moved(value: unknown, ms: number): unknown {
  if (typeof value === 'string') return TIME.test(value) ? new Date(Date.parse(value) + ms).toISOString() : value
  if (Array.isArray(value)) return value.map((item) => moved(item, ms))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, moved(inner, ms)]))
}

/**
 * Moves the times of the demo seed by whole days, so that the newest posts are of the day before it was loaded first, whenever that is, and
 * search finds them. Ids and the order of everything stay. In a database that had the demo data before times were moved nothing is.
 */
export async function withRecentTimes(
  document: SeedDocument,
  { storage, now }: { storage: { metadata: Metadata; apps: Pick<AppStore, 'byId'> }; now: () => number },
): Promise<SeedDocument> {
  const known = await storage.metadata.get(MOVED_DAYS)
  const isOlder = known === undefined && (await storage.apps.byId(document.apps![0]!.id!)) !== undefined
  const usual = isOlder ? 0 : Math.floor((now() - DEMO_IS_OF_MS) / DAY_MS)
  const days = known === undefined ? usual : Number(known)
  if (known === undefined) await storage.metadata.setUnsynced(MOVED_DAYS, String(days))
  // What accounts say of time zones is of the calendar.
  const { accounts, ...content } = document
  return { ...(moved(content, days * DAY_MS) as SeedDocument), accounts }
}
