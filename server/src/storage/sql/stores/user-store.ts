import type { Transaction } from 'kysely'
import { EMPTY_PROFILE } from '../../content-tables.ts'
import type { User, UserStore } from '../../users.ts'
import { removeUserContent } from '../content/remove-user-content.ts'
import { retryWhileReferenced } from '../foreign-keys.ts'
import type { Database, Row } from '../schema.ts'
import { announce, repeated, type SqlDatabase, unannounced, type Written } from '../sql-database.ts'
import { removeUploadsOf } from '../uploads/upload-rows.ts'

/** Converts a row to a user. */
export const userFromRow = (row: Row<'users'>): User => ({
  id: row.id,
  username: row.username,
  name: row.name,
  passwordHash: row.password_hash,
  disabled: Boolean(row.disabled),
  createdAtMs: row.created_at_ms,
})

/** The key for case-insensitive lookup. */
export const keyOfUsername = (username: string) => username.toLowerCase()

/** The tables whose rows are deleted with a user: of subscriptions those that are filtered to the user, of any app. */
const OF_USER = ['request_tokens', 'user_tokens', 'oauth2_codes', 'oauth2_grants', 'sessions', 'account_members', 'subscriptions'] as const

/** Ends sessions, and sign-ins without an access token yet: an intruder with the old password may have begun them. */
async function endSignIns(trx: Transaction<Database>, userId: string) {
  for (const table of ['request_tokens', 'oauth2_codes', 'sessions'] as const)
    await trx.deleteFrom(table).where('user_id', '=', userId).execute()
}

export function createUserStore({ db, write, flavour }: SqlDatabase): UserStore {
  const one = async (column: 'id' | 'username_key', value: string, from: SqlDatabase['db'] = db): Promise<User | undefined> => {
    const row = await from.selectFrom('users').selectAll().where(column, '=', value).executeTakeFirst()
    return row && userFromRow(row)
  }

  return {
    byId: (id) => one('id', id),
    byUsername: (username) => one('username_key', keyOfUsername(username)),
    async list({ username, after, limit }) {
      const users = db
        .selectFrom('users')
        .selectAll()
        .$if(username !== undefined, (query) => query.where('username_key', '=', keyOfUsername(username!)))
        .$if(after !== null, (query) => query.where('id', '>', after!))
      return (await users.orderBy('id').limit(limit).execute()).map(userFromRow)
    },
    insert: (user) =>
      write(async (trx) => {
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto('users')
          .values({
            id: user.id,
            username: user.username,
            username_key: keyOfUsername(user.username),
            name: user.name,
            password_hash: user.passwordHash,
            disabled: user.disabled,
            created_at_ms: user.createdAtMs,
          })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow()
        if (numInsertedOrUpdatedRows !== 1n) return unannounced(false)
        await trx
          .insertInto('profiles')
          .values({ ...EMPTY_PROFILE, user_id: user.id })
          .execute()
        return unannounced(true)
      }),
    update: (id, { passwordHash, disabled }) =>
      write(async (trx): Promise<Written<User | undefined>> => {
        if (passwordHash === undefined && disabled === undefined) return unannounced(await one('id', id, trx))
        const changed = trx.updateTable('users').set({ password_hash: passwordHash, disabled }).where('id', '=', id)
        const row = await changed.returningAll().executeTakeFirst()
        if (!row) return unannounced(undefined)
        if (passwordHash !== undefined || disabled) await endSignIns(trx, id)
        if (passwordHash !== undefined) await trx.deleteFrom('sign_in_addresses').where('user_id', '=', id).execute()
        return announce(userFromRow(row), { kind: 'user', id })
      }),
    // The user's row is deleted last. A concurrent insert of a row that refers to it makes this fail, and the retry deletes that row too.
    remove: (id) =>
      retryWhileReferenced(() =>
        write(async (trx) => {
          if (!(await one('id', id, trx))) return repeated(false)
          const hadUploads = await removeUploadsOf(trx, id)
          for (const table of OF_USER) await trx.deleteFrom(table).where('user_id', '=', id).execute()
          await removeUserContent(trx, flavour, id)
          const { numDeletedRows } = await trx.deleteFrom('users').where('id', '=', id).executeTakeFirst()
          await trx.deleteFrom('upload_totals').where('owner_id', '=', id).execute()
          if (numDeletedRows !== 1n) return repeated(false)
          return announce(true, ...(hadUploads ? [{ kind: 'due', queue: 'uploads' } as const] : []), { kind: 'user', id })
        }),
      ),
  }
}
