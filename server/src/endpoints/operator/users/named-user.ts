import { invalidRequest } from '../../../api/declare/problem.ts'
import { matching, type WordOptions } from '../../../api/declare/words.ts'
import { didYouMean } from '../../../lib/nearest.ts'
import type { User, UserStore } from '../../../storage/users.ts'

export type NamedUsers = Pick<UserStore, 'byId' | 'byUsername' | 'list'>

/** With so many users a wrong username is compared. */
const MOST_COMPARED = 1000

/** What names a user: an id, or a username with or without `@`. */
export const userName = (rest: WordOptions = {}) =>
  matching('^@?[A-Za-z0-9_]{1,50}$', { mustBe: 'a user id or a username', example: '101', ...rest })

const isId = (text: string) => /^[0-9]{1,19}$/.test(text)

async function unknownUsername(users: NamedUsers, parameter: string, given: string, username: string) {
  const known = (await users.list({ after: null, limit: MOST_COMPARED })).map((user) => user.username)
  const message = `$.${parameter}: no user has the username ${username}.${didYouMean(username.toLowerCase(), known)} GET /operator/users lists them.`
  return invalidRequest([{ message, parameters: { [parameter]: [given] } }])
}

/**
 * The user whom a parameter names by id or by username. One with an id that nobody has may exist where events come from: `found` is undefined.
 * Throws `invalid-request` with the nearest usernames for one that nobody has.
 */
export async function namedUser(users: NamedUsers, parameter: string, given: string): Promise<{ id: string; found: User | undefined }> {
  const username = given.replace(/^@/, '')
  const found = (isId(given) ? await users.byId(given) : undefined) ?? (await users.byUsername(username))
  if (found) return { id: found.id, found }
  if (isId(given)) return { id: given, found: undefined }
  throw await unknownUsername(users, parameter, given, username)
}
