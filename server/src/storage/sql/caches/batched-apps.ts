import type { Seal } from '../../../lib/seal.ts'
import type { AppStore } from '../../apps.ts'
import { ANY_KEY, type PreparedQuery } from '../prepared-query.ts'
import type { Row } from '../schema.ts'
import { openApp } from '../stores/app-row.ts'
import { createRowLookup } from './batched-lookup.ts'
import { wrapStore } from './wrap-store.ts'

/** Batches the lookups of apps. */
export function batchApps(store: AppStore, query: PreparedQuery, seal: Seal): AppStore {
  const read = (row: Row<'apps'>) => openApp(seal, row)
  return wrapStore(store, {
    byId: createRowLookup(query, { name: 'apps-by-id', text: `select id as key, * from apps where id = ${ANY_KEY}`, read }),
    byConsumerKey: createRowLookup(query, {
      name: 'apps-by-consumer-key',
      text: `select consumer_key as key, * from apps where consumer_key = ${ANY_KEY}`,
      read,
    }),
    byOAuth2ClientId: createRowLookup(query, {
      name: 'apps-by-oauth2-client-id',
      text: `select oauth2_client_id as key, * from apps where oauth2_client_id = ${ANY_KEY}`,
      read,
    }),
    list: 'reads',
    insert: 'writes',
    update: 'writes',
    remove: 'writes',
  })
}
