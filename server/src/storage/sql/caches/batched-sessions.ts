import { sha256Hex } from '../../../lib/crypto.ts'
import type { SessionStore } from '../../sessions.ts'
import { ANY_KEY, type PreparedQuery } from '../prepared-query.ts'
import type { Row } from '../schema.ts'
import { userFromRow } from '../stores/user-store.ts'
import { createRowLookup } from './batched-lookup.ts'
import { wrapStore } from './wrap-store.ts'

/** Batches the lookups of sessions with their users. */
export function batchSessions(store: SessionStore, query: PreparedQuery): SessionStore {
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
