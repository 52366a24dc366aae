import type { UserStore } from '../../users.ts'
import { ANY_KEY, type PreparedQuery } from '../prepared-query.ts'
import { keyOfUsername, userFromRow } from '../stores/user-store.ts'
import { createRowLookup } from './batched-lookup.ts'
import { wrapStore } from './wrap-store.ts'

/** Batches the lookups of users. */
export function batchUsers(store: UserStore, query: PreparedQuery): UserStore {
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
