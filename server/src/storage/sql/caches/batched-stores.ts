import type { Kysely } from 'kysely'
import type { Seal } from '../../../lib/seal.ts'
import { cacheOpened } from '../../../lib/seal.ts'
import type { RefinableStores } from '../engine.ts'
import type { Ask } from '../postgres-ask.ts'
import type { Database } from '../schema.ts'
import { batchApps } from './batched-apps.ts'
import { batchBearerTokens } from './batched-bearer-tokens.ts'
import { batchCandidates } from './batched-candidates.ts'
import { batchMembers } from './batched-members.ts'
import { batchRecords } from './batched-records.ts'
import { batchRequestTokens } from './batched-request-tokens.ts'
import { batchSessions } from './batched-sessions.ts'
import { batchUserTokens } from './batched-user-tokens.ts'
import { batchUsers } from './batched-users.ts'
import { batchWebhooks } from './batched-webhooks.ts'

/** The same stores: what a single key is asked for goes to the database together with what other requests ask. */
export function batchStores(stores: RefinableStores, db: Kysely<Database>, ask: Ask, seal: Seal): RefinableStores {
  const opening = cacheOpened(seal)
  return {
    apps: batchApps(stores.apps, ask, opening),
    bearerTokens: batchBearerTokens(stores.bearerTokens, ask, opening),
    requestTokens: batchRequestTokens(stores.requestTokens, ask, seal),
    userTokens: batchUserTokens(stores.userTokens, ask, opening),
    sessions: batchSessions(stores.sessions, ask),
    users: batchUsers(stores.users, ask),
    webhooks: batchWebhooks(stores.webhooks, ask),
    subscriptions: batchCandidates(stores.subscriptions),
    accountMembers: batchMembers(ask),
    records: batchRecords(stores.records, db, ask),
  }
}
