import type { Content } from '../../../../storage/content.ts'
import { EMPTY_PROFILE, profiles, userAccounts, users } from '../../../../storage/content-tables.ts'
import { User } from '../../../objects/user.ts'
import { profileEntities } from '../../../users/profile-entities.ts'
import { passwordHashOf } from '../../users/new-password.ts'
import { takenId } from '../seed-adder.ts'
import type { UserSeed } from '../seed-document.ts'
import type { ContentLoad } from './content-load.ts'
import { differingFields, readRow, type SaidField, saidColumns, saidFields, storedRow } from './said-fields.ts'

const COLUMNS = Object.keys(users.columns)

interface NewUser {
  seed: UserSeed
  said: SaidField[]
}

/** The users of a batch that exist already, by id and by username. */
async function existingUsers(content: Pick<Content, 'rows'>, batch: readonly UserSeed[]) {
  const [byId, byName] = await Promise.all([
    content.rows(
      users,
      COLUMNS,
      batch.flatMap(({ id }) => id ?? []),
    ),
    content.rows(
      users,
      COLUMNS,
      batch.map(({ username }) => username.toLowerCase()),
      'username_key',
    ),
  ])
  const rows = [...byName, ...byId].map((row) => readRow(users, COLUMNS, row))
  return { byId: new Map(rows.map((row) => [row.id, row])), byName: new Map(rows.map((row) => [row.username_key, row])) }
}

const saidOf = (seed: UserSeed): SaidField[] => [
  ...saidFields(User, seed),
  ...(seed.disabled === undefined ? [] : [{ field: 'disabled', values: { disabled: seed.disabled } }]),
]

/** The rows of a new user: what sign-in needs, and the profile. */
async function rowsOf({ seed, said }: NewUser, id: string, nowMs: number) {
  const { username, password, name = username, disabled = false } = seed
  const values: Record<string, unknown> = { created_at_ms: nowMs, ...saidColumns(said) }
  const passwordHash = password === undefined ? null : await passwordHashOf(password)
  return {
    account: storedRow(userAccounts, {
      ...values,
      id,
      username,
      username_key: username.toLowerCase(),
      name,
      disabled,
      password_hash: passwordHash,
    }),
    profile: storedRow(profiles, { ...EMPTY_PROFILE, entities: profileEntities(values), ...values, user_id: id }),
    values,
  }
}

/** Adds users with their profiles. One who exists has the id or the username of the seed. */
export const addUsers = (load: ContentLoad, seeds: readonly UserSeed[]): Promise<void> =>
  load.inBatches(seeds, async (batch) => {
    const existing = await existingUsers(load.content, batch)
    const missing = new Map<string, NewUser>()
    for (const seed of batch) {
      const said = saidOf(seed)
      const key = seed.username.toLowerCase()
      const row = (seed.id !== undefined && existing.byId.get(seed.id)) || existing.byName.get(key)
      if (row) load.report('users', { id: row.id as string, differing: differingFields(said, row) })
      else if (missing.has(key)) throw takenId('users', 'username', seed.username)
      else missing.set(key, { seed, said })
    }
    if (missing.size === 0) return
    const { ids, now } = load.services
    const added = await Promise.all([...missing.values()].map((user) => rowsOf(user, user.seed.id ?? ids.next(), now())))
    const inserted = await load.content.change(async (transaction) => {
      const keys = new Set(
        await transaction.insertAll(
          userAccounts,
          added.map(({ account }) => account),
        ),
      )
      await transaction.insertAll(
        profiles,
        added.map(({ profile }) => profile).filter(({ user_id }) => keys.has(user_id as string)),
      )
      return keys
    })
    for (const { account, values } of added) {
      const id = account.id as string
      if (!inserted.has(id)) throw takenId('users', 'id', id)
      load.created(users, id, values)
      load.report('users', { id })
    }
  })
