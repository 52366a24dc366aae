import type { User, UserStore } from '../../users.ts'
import type { Row } from '../schema.ts'
import type { SqlDatabase } from '../sql-database.ts'

/** Converts a row to a user. */
export const userFromRow = (row: Row<'users'>): User => ({
  id: row.id,
  username: row.username,
  name: row.name,
  passwordHash: row.password_hash,
  createdAtMs: row.created_at_ms,
})

/** The key for case-insensitive lookup. */
export const keyOfUsername = (username: string) => username.toLowerCase()

export function createUserStore({ db, unannounced }: SqlDatabase): UserStore {
  const one = async (column: 'id' | 'username_key', value: string): Promise<User | undefined> => {
    const row = await db.selectFrom('users').selectAll().where(column, '=', value).executeTakeFirst()
    return row && userFromRow(row)
  }

  return {
    byId: (id) => one('id', id),
    byUsername: (username) => one('username_key', keyOfUsername(username)),
    async insert(user) {
      const result = await unannounced
        .insertInto('users')
        .values({
          id: user.id,
          username: user.username,
          username_key: keyOfUsername(user.username),
          name: user.name,
          password_hash: user.passwordHash,
          created_at_ms: user.createdAtMs,
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return result.numInsertedOrUpdatedRows === 1n
    },
  }
}
