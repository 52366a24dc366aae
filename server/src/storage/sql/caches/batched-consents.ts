import type { Consents } from '../../consents.ts'
import { createBatchLoader } from '../batch-loader.ts'
import type { PreparedQuery } from '../prepared-query.ts'
import { consentFrom, consentText } from '../stores/consent-store.ts'
import { LOOKUP_OPTIONS } from './batched-lookup.ts'
import { wrapStore } from './wrap-store.ts'

interface Wanted {
  appId: string
  userId: string
}

const statement = {
  name: 'consents-by-app-and-user',
  text: `select place::integer, ${consentText('wanted.app_id', 'wanted.user_id')} as consent
    from unnest((select $1::text[]), (select $2::text[])) with ordinality as wanted (app_id, user_id, place)
    where exists (select 1 from apps where apps.id = wanted.app_id and not apps.suspended)`,
}

/** Batches the lookups of consents. */
export function batchConsents(store: Consents, query: PreparedQuery): Consents {
  const consent = createBatchLoader<Wanted, string | null>(async (asked) => {
    const apps = asked.map(({ appId }) => appId)
    const users = asked.map(({ userId }) => userId)
    const rows = await query<{ place: number; consent: string | null }>(statement, [apps, users])
    const found = new Map(rows.map((row) => [row.place, row.consent]))
    return asked.map((_, at) => found.get(at + 1) ?? null)
  }, LOOKUP_OPTIONS)
  return wrapStore(store, {
    of: (appId, userIds) => Promise.all(userIds.map(async (userId) => consentFrom(await consent({ appId, userId })))),
  })
}
