import type { Seal } from '../../../lib/seal.ts'
import type { AccountMembers } from '../../account-members.ts'
import type { AppStore } from '../../apps.ts'
import type { Consents } from '../../consents.ts'
import { createBatchLoader } from '../batch-loader.ts'
import { ANY_KEY, type PreparedQuery, type Statement } from '../prepared-query.ts'
import type { Row } from '../schema.ts'
import { openApp } from '../stores/app-row.ts'
import { consentFrom, consentText } from '../stores/consent-store.ts'
import { type MemberRow, membershipOf } from '../stores/member-store.ts'
import { wrapStore } from './wrap-store.ts'

/** With two statements a question waits for at most one that it is not part of, and batches still form under load. */
export const LOOKUP_OPTIONS = { concurrency: 2, maxBatchSize: 500 }

interface Lookup<Row, Answer> extends Statement {
  /** Converts the rows of a key, maybe none, to its answer. */
  read(rows: readonly Row[]): Answer
}

function tryTo<Answer>(read: () => Answer): Answer | Error {
  try {
    return read()
  } catch (error) {
    return error as Error
  }
}

/** PostgreSQL has no text with U+0000, and would refuse the whole batch. */
const isText = (key: string) => !key.includes('\u0000')

/**
 * Batches lookups by a text key. `$1` of the statement is the list of distinct keys; its rows have their key in the column `key`. Lookups of
 * the same key in one batch share the answer.
 */
export function createLookup<Row extends object, Answer>(query: PreparedQuery, { read, ...statement }: Lookup<Row, Answer>) {
  return createBatchLoader<string, Answer>(async (asked) => {
    const keys = [...new Set(asked)]
    const rows = Map.groupBy(await query<Row & { key: string }>(statement, [keys.filter(isText)]), ({ key }) => key)
    const answers = new Map(keys.map((key) => [key, tryTo(() => read(rows.get(key) ?? []))]))
    return asked.map((key) => answers.get(key)!)
  }, LOOKUP_OPTIONS)
}

/** For keys that have at most one row. */
export const createRowLookup = <Row extends object, Answer>(
  query: PreparedQuery,
  { read, ...statement }: Statement & { read(row: Row): Answer },
): ((key: string) => Promise<Answer | undefined>) =>
  createLookup<Row, Answer | undefined>(query, { ...statement, read: ([row]) => row && read(row) })

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

interface WantedConsent {
  appId: string
  userId: string
}

const consentsByAppAndUser = {
  name: 'consents-by-app-and-user',
  text: `select place::integer, ${consentText('wanted.app_id', 'wanted.user_id')} as consent
    from unnest((select $1::text[]), (select $2::text[])) with ordinality as wanted (app_id, user_id, place)
    where exists (select 1 from apps where apps.id = wanted.app_id and not apps.suspended)`,
}

/** Batches the lookups of consents. */
export function batchConsents(store: Consents, query: PreparedQuery): Consents {
  const consent = createBatchLoader<WantedConsent, string | null>(async (asked) => {
    const apps = asked.map(({ appId }) => appId)
    const users = asked.map(({ userId }) => userId)
    const rows = await query<{ place: number; consent: string | null }>(consentsByAppAndUser, [apps, users])
    const found = new Map(rows.map((row) => [row.place, row.consent]))
    return asked.map((_, at) => found.get(at + 1) ?? null)
  }, LOOKUP_OPTIONS)
  return wrapStore(store, {
    of: (appId, userIds) => Promise.all(userIds.map(async (userId) => consentFrom(await consent({ appId, userId })))),
  })
}

interface WantedMember {
  accountId: string
  userId: string
}

const membersByAccountAndUser = {
  name: 'members-by-account-and-user',
  text: `select place::integer, role, permissions, hidden, host
    from unnest((select $1::text[]), (select $2::text[])) with ordinality as wanted (user_id, account_id, place)
    join account_members using (user_id, account_id)`,
}

/** Batches the lookups of account members. */
export function batchMembers(query: PreparedQuery): AccountMembers {
  const member = createBatchLoader<WantedMember, MemberRow | undefined>(async (asked) => {
    const users = asked.map(({ userId }) => userId)
    const accounts = asked.map(({ accountId }) => accountId)
    const rows = await query<MemberRow & { place: number }>(membersByAccountAndUser, [users, accounts])
    const members = new Map(rows.map((row) => [row.place, row]))
    return asked.map((_, at) => members.get(at + 1))
  }, LOOKUP_OPTIONS)
  return {
    find: async (host, accountId, userId) => membershipOf(await member({ accountId, userId }), host),
  }
}
