import { type SelectQueryBuilder, sql } from 'kysely'
import type { User } from '../../users.ts'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'

/**
 * Selects the row of a user who has just given the password; none if it was changed meanwhile, or the user disabled or deleted. Locks the
 * row: what is inserted from it is either seen by whoever changes the user at this moment, or not inserted.
 */
export const maySignIn =
  ({ id, passwordHash }: Pick<User, 'id' | 'passwordHash'>, { locksRows }: Flavour) =>
  <Selected>(users: SelectQueryBuilder<Database, 'users', Selected>): SelectQueryBuilder<Database, 'users', Selected> => {
    const found = users.where('id', '=', id).where('password_hash', '=', passwordHash).where('disabled', '=', sql.lit(false))
    return locksRows ? found.forShare() : found
  }
