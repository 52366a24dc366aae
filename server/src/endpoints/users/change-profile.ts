import type { Outbox } from '../../delivery/outbox.ts'
import type { ContentTransaction } from '../../storage/content.ts'
import { profiles, userAccounts, users } from '../../storage/content-tables.ts'
import { profileEntities } from './profile-entities.ts'
import { MEMBERS, type Profile, profileSubjects, profileUpdates } from './profile-events.ts'

export interface ChangeServices {
  outbox: Outbox
}

/** Stores the members that differ: the name stands in the account, all others and their entities in the profile. */
async function store(transaction: ContentTransaction, userId: string, before: Profile, after: Profile) {
  const differing = MEMBERS.filter((member) => before[member] !== after[member])
  if (differing.length === 0) return
  if (differing.includes('name')) await transaction.update(userAccounts, userId, { name: after.name })
  const said = Object.fromEntries(differing.filter((member) => member !== 'name').map((member) => [member, after[member]]))
  if (Object.keys(said).length > 0) {
    const entities = profileEntities(after)
    await transaction.update(profiles, userId, { ...said, entities: entities && JSON.stringify(entities) })
  }
  transaction.tellOfUser(userId)
}

/** Changes what a user says of itself; members that are left out stay. The profile after it, or undefined if there is no such user. */
export const changeProfile = (userId: string, sent: Partial<Profile>, { outbox }: ChangeServices): Promise<Profile | undefined> =>
  outbox.change(profileSubjects(userId, sent), async (transaction, announce) => {
    const before = (await transaction.get(users, userId, MEMBERS)) as Profile | undefined
    if (!before) return undefined
    const after = { ...before }
    for (const member of MEMBERS) after[member] = sent[member] ?? before[member]
    await store(transaction, userId, before, after)
    await announce(profileUpdates(userId, before, after))
    return after
  })
