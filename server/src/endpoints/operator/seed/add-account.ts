import { isTimezone } from '../../../lib/is-timezone.ts'
import type { Role } from '../../../storage/account-members.ts'
import { columnsOf } from '../../../storage/records.ts'
import { Account } from '../../ads/accounts/account.ts'
import { PRODUCTION, SANDBOX } from '../../ads/accounts/hosts.ts'
import { addParts, noParts, type Part } from './add-parts.ts'
import { badSeed, takenId } from './bad-seed.ts'
import { differences } from './differences.ts'
import { createMadeUpIds } from './made-up-ids.ts'
import type { Added, SeedServices } from './seed-adder.ts'
import { accountParts, type SeedOf } from './seed-document.ts'

type Seed = SeedOf<'accounts'>

const hostOf = ({ sandbox }: Seed) => (sandbox ? SANDBOX : PRODUCTION)

/** The same accounts, each with an id: one that has none is known by its host and name. */
export function withIds(accounts: readonly Seed[]): (Seed & { id: string })[] {
  const idOf = createMadeUpIds('accounts')
  return accounts.map((seed) => ({ ...seed, id: seed.id ?? idOf({ host: hostOf(seed), name: seed.name }) }))
}

/** What is kept in the account's own row. */
const fieldsOf = ({ features, ...seed }: Seed) => ({
  ...Object.fromEntries(Object.entries(seed).filter(([name]) => name in columnsOf(Account))),
  ...(features && { features: [...features].sort() }),
})

/** Whether a user of the seed is a member already, and with which role. Throws `invalid-request` for one that does not exist. */
async function roleOf({ users, accountMembers }: SeedServices['storage'], host: string, accountId: string, userId: string) {
  const standing = await accountMembers.find(host, accountId, userId)
  if (!standing && !(await users.byId(userId))) throw badSeed('accounts', 'members.user_id', userId, 'is not that of a user')
  return standing?.role
}

/** The members who are none yet, and whether another has another role. */
async function compareMembers(storage: SeedServices['storage'], host: string, id: string, { members = [] }: Seed) {
  const missing = new Map<string, Role>()
  const said = new Map<string, Role>()
  let isDifferent = false
  for (const { user_id: userId, role } of members) {
    if ((said.get(userId) ?? role) !== role) throw badSeed('accounts', 'members.user_id', userId, 'has two roles')
    said.set(userId, role)
    const standing = await roleOf(storage, host, id, userId)
    if (standing === undefined) missing.set(userId, role)
    else if (standing !== role) isDifferent = true
  }
  return { missing, isDifferent }
}

/** Throws `invalid-request` for what is no name of a time zone. */
function assertTimezone({ timezone }: Seed) {
  if (timezone !== undefined && !isTimezone(timezone)) throw badSeed('accounts', 'timezone', timezone, 'is no name of the IANA database')
}

/** An advertising account with its members and all that is its own. */
export const addAccount = async (seed: Seed & { id: string }, services: SeedServices): Promise<Added> => {
  const { records } = services.storage
  const { id } = seed
  const host = hostOf(seed)
  const { missing, isDifferent } = await compareMembers(services.storage, host, id, seed)
  const standing = await records.get(Account, host, id, true)
  const { updated_at: _, ...said } = fieldsOf(seed) as Record<string, unknown>
  const differing = standing ? [...differences(said, standing), ...(isDifferent ? ['members.role'] : [])] : []
  if (standing?.deleted && !seed.deleted) return { id, differing }
  const added = noParts()
  await records.change(id, { nowMs: services.now() }, async (desk) => {
    if (!standing) assertTimezone(seed)
    const account = Account.complete({ features: [], ...fieldsOf(seed), id, host })
    if (!standing && !(await desk.insert(Account, account))) throw takenId('accounts', 'id', id)
    for (const [userId, role] of missing) await desk.admit(userId, role)
    for (const kind of accountParts)
      await addParts(desk, kind, id, ((seed as Record<string, unknown>)[kind.table] ?? []) as Partial<Part>[], added)
  })
  if (!standing) return { id }
  const parts = [
    ...[...missing.keys()].map((userId) => ({ kind: 'members', id: userId })),
    ...[...added.made].flatMap(([kind, ids]) => [...ids].map((partId) => ({ kind, id: partId }))),
  ]
  return { id, differing: [...differing, ...added.differing], parts }
}
