import { Problem } from '../../../api/declare/problem.ts'
import { boolean, id, iso, object, text, timestamp } from '../../../api/declare/words.ts'
import type { User } from '../../../storage/users.ts'

/** A user as the operator sees one: without the password hash. */
export const userSchema = object({ id: id(), username: text(), name: text(), disabled: boolean(), created_at: timestamp() })

export const userView = ({ id, username, name, disabled, createdAtMs }: User) => ({
  id,
  username,
  name,
  disabled,
  created_at: iso(createdAtMs),
})

export const noSuchUser = (userId: string) => new Problem('not-found', { detail: `There is no user ${userId}.` })
