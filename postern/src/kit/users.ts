import { didYouMean } from '../../../server/src/lib/nearest.ts'
import type { OperatorApi } from './operator-api.ts'
import type { Snapshots } from './snapshots.ts'
import type { Seed } from './start-options.ts'

/** A username as the server compares it: without `@`, in lower case. */
export const foldUsername = (name: string): string => name.replace(/^@/, '').toLowerCase()

export const isUserId = (user: string): boolean => /^[0-9]{1,19}$/.test(user)

/** The users whom a handle of the kit knows, by ids and by usernames in any case. */
export interface Users {
  /** The id of a user. A name that the kit does not know is left to the server. */
  idOf(user: string): string
  /** The same, and asks the server for a name that the kit does not know. @throws when nobody has it. */
  find(user: string): Promise<string>
  /** The username of an id; the id where none is known. */
  nameOf(id: string): string
}

/** The users of a server: those of the seed, and those that were loaded or asked for since the last reset. */
export function createUsers(api: OperatorApi, seed: Seed, follow: Snapshots['follow']) {
  let names = new Map<string, string>()
  let ids = new Map<string, string>()
  const learnOne = (username: string, id: string) => {
    names.set(id, username)
    ids.set(foldUsername(username), id)
  }
  const learn = ({ users = [] }: Seed) => {
    for (const { username, id } of users) if (id !== undefined) learnOne(username, id)
  }
  learn(seed)
  follow({
    remember: () => ({ names: new Map(names), ids: new Map(ids) }),
    recall(remembered) {
      const known = (remembered ?? {}) as { names?: typeof names; ids?: typeof ids }
      names = new Map(known.names)
      ids = new Map(known.ids)
      if (remembered === undefined) learn(seed)
    },
  })

  async function ask(user: string): Promise<string> {
    const query = { username: foldUsername(user) }
    const { data } = await api.call<{ data: { id: string; username: string }[] }>('GET', '/operator/users', undefined, query)
    const [found] = data
    if (!found) throw new Error(`no user has the username ${user}.${didYouMean(query.username, [...ids.keys()])}`)
    learnOne(found.username, found.id)
    return found.id
  }

  const users: Users = {
    idOf: (user) => ids.get(foldUsername(user)) ?? user,
    find: async (user) => ids.get(foldUsername(user)) ?? (isUserId(user) ? user : ask(user)),
    nameOf: (id) => names.get(id) ?? id,
  }
  return { users, learn }
}
