import { integer, object, text } from '../../api/declare/words.ts'
import { exactNumber } from '../../lib/numbers.ts'
import type { User } from '../../storage/users.ts'

/** The members of a user in answers of `/1.1/`. `id` is a number of up to 19 digits; `id_str` is exact. */
export const v1UserMembers = { id: integer(), id_str: text(), name: text(), screen_name: text(), created_at: text() }

export const v1UserSchema = object(v1UserMembers)

/** A moment as `/1.1/` writes it: `Wed Aug 27 13:08:45 +0000 2008`. */
export function v1Moment(ms: number): string {
  const [weekday, day, month, year, time] = new Date(ms).toUTCString().replace(',', '').split(' ')
  return `${weekday} ${month} ${day} ${time} +0000 ${year}`
}

/** A user as `/1.1/` answers it. */
export const v1UserOf = ({ id, name, username, createdAtMs }: Pick<User, 'id' | 'name' | 'username' | 'createdAtMs'>) => ({
  id: exactNumber(id),
  id_str: id,
  name,
  screen_name: username,
  created_at: v1Moment(createdAtMs),
})
