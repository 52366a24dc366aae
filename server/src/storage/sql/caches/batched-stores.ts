import type { Kysely } from 'kysely'
import type { Clock } from '../../../lib/clock.ts'
import { sha256Hex } from '../../../lib/crypto.ts'
import { cacheOpened, type Seal } from '../../../lib/seal.ts'
import type { BearerTokenStore } from '../../bearer-tokens.ts'
import type { OAuth2Grants } from '../../oauth2-grants.ts'
import type { RequestTokenStore } from '../../request-tokens.ts'
import type { Candidate, SubscriptionStore } from '../../subscriptions.ts'
import type { UserTokenStore } from '../../user-tokens.ts'
import type { SessionStore, UserStore } from '../../users.ts'
import type { WebhookStore } from '../../webhooks.ts'
import { createBatchLoader } from '../batch-loader.ts'
import type { RefinableStores } from '../engine.ts'
import { ANY_KEY, type PreparedQuery } from '../prepared-query.ts'
import type { Database, Row } from '../schema.ts'
import { type AppOfToken, openAppOfToken } from '../stores/bearer-token-store.ts'
import { HOLDER_COLUMNS, HOLDER_TABLES, type HolderRow, holderFromRow } from '../stores/oauth2-rows.ts'
import { openRequestToken } from '../stores/request-token-store.ts'
import { keyOfUsername, userFromRow } from '../stores/user-store.ts'
import { openToken } from '../stores/user-token-store.ts'
import { webhookFromRow } from '../stores/webhook-store.ts'
import { batchContent } from './batched-content.ts'
import { batchApps, batchConsents, batchMembers, createLookup, createRowLookup } from './batched-lookups.ts'
import { batchRecords } from './batched-records.ts'
import { unwrappedWebhooks } from './cached-webhooks.ts'
import { wrapStore } from './wrap-store.ts'

/** Batches the lookups of request tokens. */
function batchRequestTokens(store: RequestTokenStore, query: PreparedQuery, seal: Seal): RequestTokenStore {
  const bySha256 = createRowLookup(query, {
    name: 'request-tokens-by-token',
    text: `select token_sha256 as key, * from request_tokens where token_sha256 = ${ANY_KEY}`,
    read: (row: Row<'request_tokens'>) => row,
  })
  return wrapStore(store, {
    insert: 'writes',
    async find(token, nowMs) {
      const row = await bySha256(sha256Hex(token))
      return row && row.expires_at_ms > nowMs ? openRequestToken(seal, token, row) : undefined
    },
    grant: 'writes',
    deny: 'writes',
    exchange: 'writes',
  })
}

/** Batches the lookups of sessions with their users. */
function batchSessions(store: SessionStore, query: PreparedQuery): SessionStore {
  const bySha256 = createRowLookup(query, {
    name: 'sessions-by-id',
    text: `select id_sha256 as key, expires_at_ms, users.* from sessions join users on users.id = sessions.user_id
      where id_sha256 = ${ANY_KEY}`,
    read: (row: Row<'users'> & Pick<Row<'sessions'>, 'expires_at_ms'>) => ({ user: userFromRow(row), expiresAtMs: row.expires_at_ms }),
  })
  return wrapStore(store, {
    insert: 'writes',
    async userOf(id, nowMs) {
      const session = await bySha256(sha256Hex(id))
      return session && session.expiresAtMs > nowMs ? session.user : undefined
    },
    remove: 'writes',
    removeOf: 'writes',
  })
}

type TokenWithUser = Row<'user_tokens'> & Omit<Row<'users'>, 'id' | 'created_at_ms'> & { user_created_at_ms: number }

/** Batches the lookups of user tokens with their users. */
export function batchUserTokens(store: UserTokenStore, query: PreparedQuery, seal: Seal): UserTokenStore {
  const bySha256 = createRowLookup(query, {
    name: 'user-tokens-by-token',
    text: `select token_sha256 as key, user_tokens.*, username, username_key, name, password_hash, disabled, users.created_at_ms as user_created_at_ms
      from user_tokens join users on users.id = user_tokens.user_id where token_sha256 = ${ANY_KEY}`,
    read: (row: TokenWithUser) => ({
      token: openToken(seal, row),
      user: userFromRow({ ...row, id: row.user_id, created_at_ms: row.user_created_at_ms }),
    }),
  })
  return wrapStore(store, { insert: 'writes', find: (token) => bySha256(sha256Hex(token)), granted: 'reads', revoke: 'writes' })
}

/** Batches the lookups of access tokens with their apps and users. */
function batchOAuth2Grants(store: OAuth2Grants, query: PreparedQuery, seal: Seal): OAuth2Grants {
  const bySha256 = createRowLookup(query, {
    name: 'holders-by-access-token',
    text: `select token_sha256 as key, apps.*, ${HOLDER_COLUMNS} from ${HOLDER_TABLES} where token_sha256 = ${ANY_KEY}`,
    read: (row: HolderRow) => holderFromRow(seal, row),
  })
  return wrapStore(store, {
    insertCode: 'writes',
    exchangeCode: 'writes',
    refresh: 'writes',
    findAccess: (token) => bySha256(sha256Hex(token)),
    granted: 'reads',
    revoke: 'writes',
  })
}

/** Batches the lookups of webhooks. */
export const batchWebhooks = (store: WebhookStore, query: PreparedQuery): WebhookStore =>
  wrapStore(store, {
    ...unwrappedWebhooks,
    byId: createRowLookup(query, {
      name: 'webhooks-by-id',
      text: `select id as key, * from webhooks where id = ${ANY_KEY}`,
      read: webhookFromRow,
    }),
    list: createLookup(query, {
      name: 'webhooks-by-app',
      text: `select app_id as key, * from webhooks where app_id = ${ANY_KEY} order by created_at_ms, id`,
      read: (rows: readonly Row<'webhooks'>[]) => rows.map(webhookFromRow),
    }),
  })

/** Batches the lookups of users. */
function batchUsers(store: UserStore, query: PreparedQuery): UserStore {
  const byKey = createRowLookup(query, {
    name: 'users-by-username',
    text: `select username_key as key, * from users where username_key = ${ANY_KEY}`,
    read: userFromRow,
  })
  return wrapStore(store, {
    byId: createRowLookup(query, { name: 'users-by-id', text: `select id as key, * from users where id = ${ANY_KEY}`, read: userFromRow }),
    byUsername: (username) => byKey(keyOfUsername(username)),
    list: 'reads',
    insert: 'writes',
    update: 'writes',
    remove: 'writes',
  })
}

type Wanted = Parameters<SubscriptionStore['candidates']>[0]

/** Batches the queries of candidates. A result may contain candidates for the events of other requests. */
function batchCandidates(store: SubscriptionStore): SubscriptionStore {
  const candidates = createBatchLoader<Wanted, Candidate[]>(async (asked) => {
    const found = await store.candidates(asked.flat())
    return asked.map(() => found)
  })
  return wrapStore(store, {
    list: 'reads',
    count: 'reads',
    byIds: 'reads',
    insert: 'writes',
    update: 'writes',
    remove: 'writes',
    candidates,
  })
}

/** Batches the lookups of bearer tokens. */
export function batchBearerTokens(store: BearerTokenStore, query: PreparedQuery, seal: Seal, clock: Clock): BearerTokenStore {
  const bySha256 = createRowLookup(query, {
    name: 'apps-by-bearer-token',
    text: `select token_sha256 as key, apps.*, bearer_tokens.secret_version as given_to
      from bearer_tokens join apps on apps.id = bearer_tokens.app_id where token_sha256 = ${ANY_KEY}`,
    read: (row: AppOfToken) => openAppOfToken(seal, row, clock.now()),
  })
  return wrapStore(store, { obtain: 'writes', appOf: (token) => bySha256(sha256Hex(token)), invalidate: 'writes' })
}

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
