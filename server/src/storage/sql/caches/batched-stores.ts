import type { Kysely } from 'kysely'
import type { Clock } from '../../../lib/clock.ts'
import type { Seal } from '../../../lib/seal.ts'
import { cacheOpened } from '../../../lib/seal.ts'
import type { RefinableStores } from '../engine.ts'
import type { PreparedQuery } from '../prepared-query.ts'
import type { Database } from '../schema.ts'
import { batchApps } from './batched-apps.ts'
import { batchBearerTokens } from './batched-bearer-tokens.ts'
import { batchCandidates } from './batched-candidates.ts'
import { batchConsents } from './batched-consents.ts'
import { batchContent } from './batched-content.ts'
import { batchMembers } from './batched-members.ts'
import { batchOAuth2Grants } from './batched-oauth2-grants.ts'
import { batchRecords } from './batched-records.ts'
import { batchRequestTokens } from './batched-request-tokens.ts'
import { batchSessions } from './batched-sessions.ts'
import { batchUserTokens } from './batched-user-tokens.ts'
import { batchUsers } from './batched-users.ts'
import { batchWebhooks } from './batched-webhooks.ts'

/** Wraps stores so that lookups by key of many requests are batched. */
export function batchStores(
  stores: RefinableStores,
  db: Kysely<Database>,
  query: PreparedQuery,
  seal: Seal,
  clock: Clock,
): RefinableStores {
  const opening = cacheOpened(seal)
  return {
    apps: batchApps(stores.apps, query, opening),
    bearerTokens: batchBearerTokens(stores.bearerTokens, query, opening, clock),
    requestTokens: batchRequestTokens(stores.requestTokens, query, seal),
    userTokens: batchUserTokens(stores.userTokens, query, opening),
    oauth2Grants: batchOAuth2Grants(stores.oauth2Grants, query, opening),
    sessions: batchSessions(stores.sessions, query),
    users: batchUsers(stores.users, query),
    webhooks: batchWebhooks(stores.webhooks, query),
    subscriptions: batchCandidates(stores.subscriptions),
    consents: batchConsents(stores.consents, query),
    accountMembers: batchMembers(query),
    records: batchRecords(stores.records, db, query),
    content: batchContent(stores.content),
  }
}
