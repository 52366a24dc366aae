import { isDeepStrictEqual } from 'node:util'
import { isTimezone, lastMidnightMs, wholeSeconds } from '../../../lib/time.ts'
import { columnsOf, fieldOf } from '../../../storage/records.ts'
import { Account, PRODUCTION, SANDBOX } from '../../ads/resources/account.ts'
import { addChildren, createDerivedIds, noChildren, type SeedChild } from './add-children.ts'
import { type Added, differences, invalidSeed, type SeedServices, takenId } from './seed-adder.ts'
import type { SeedOf } from './seed-document.ts'

type Seed = SeedOf<'accounts'>
type Member = NonNullable<Seed['members']>[number]

const hostOf = ({ sandbox }: Seed) => (sandbox ? SANDBOX : PRODUCTION)

/** The same accounts, each with an id: one without is matched by its host and name. */
export function withIds(accounts: readonly Seed[]): (Seed & { id: string })[] {
  const idOf = createDerivedIds(['accounts'])
  return accounts.map((seed) => ({ ...seed, id: seed.id ?? idOf({ host: hostOf(seed), name: seed.name })! }))
}

/** The fields that are stored in the account's own row. */
const fieldsOf = ({ features, ...seed }: Seed) => ({
  ...Object.fromEntries(Object.entries(seed).filter(([name]) => name in columnsOf(Account))),
  ...(features && { features: [...features].sort() }),
})

/** The membership that a user of the seed has already. Throws `invalid-request` for one that does not exist. */
async function existingMember({ users, accountMembers }: SeedServices['storage'], host: string, accountId: string, userId: string) {
  const existing = await accountMembers.find(host, accountId, userId)
  if (!existing && !(await users.byId(userId))) throw invalidSeed('accounts', 'members.user_id', userId, 'does not belong to any user')
  return existing
}

/** The members to add, and the fields in which existing ones differ from the seed. */
async function compareMembers(storage: SeedServices['storage'], host: string, id: string, { members = [] }: Seed) {
  const missing = new Map<string, Member>()
  const said = new Map<string, Member>()
  const differing = new Set<string>()
  for (const member of members) {
    const { user_id: userId, role, permissions } = member
    if (!isDeepStrictEqual(said.get(userId) ?? member, member))
      throw invalidSeed('accounts', 'members.user_id', userId, 'has two memberships')
    said.set(userId, member)
    const existing = await existingMember(storage, host, id, userId)
    if (!existing) missing.set(userId, member)
    else for (const field of differences({ role, permissions }, existing)) differing.add(`members.${field}`)
  }
  return { missing: [...missing.values()], differing: [...differing] }
}

/** Throws `invalid-request` for a text that is no name of a time zone. */
function assertTimezone({ timezone }: Seed) {
  if (timezone !== undefined && !isTimezone(timezone)) throw invalidSeed('accounts', 'timezone', timezone, 'is not an IANA time zone')
}

/** A new account. One of the production host has its zone since the day began there on which it was made (public practice). */
function newAccount(seed: Seed & { id: string }, nowMs: number) {
  assertTimezone(seed)
  const account = Account.complete({ ...Account.seedDefaults, features: [], ...fieldsOf(seed), id: seed.id, host: hostOf(seed) })
  if (seed.sandbox || seed.timezone_switch_at !== undefined) return account
  const createdAtMs = seed.created_at === undefined ? nowMs : Date.parse(seed.created_at)
  return { ...account, timezone_switch_at: wholeSeconds(Math.max(0, lastMidnightMs(account.timezone, createdAtMs))) }
}

/** Adds an advertising account with its members and records. */
export const addAccount = async (seed: Seed & { id: string }, services: SeedServices): Promise<Added> => {
  const { records } = services.storage
  const { id } = seed
  const host = hostOf(seed)
  const members = await compareMembers(services.storage, host, id, seed)
  const existing = await records.get(Account, host, id, true)
  const { updated_at: _, ...said } = fieldsOf(seed) as Record<string, unknown>
  const differing = existing ? [...differences(said, existing), ...members.differing] : []
  if (existing?.deleted && !seed.deleted) return { id, differing }
  const added = noChildren(id, services.isJudged || existing !== undefined)
  await records.change(id, { nowMs: services.now() }, async (transaction) => {
    if (!existing && !(await transaction.insert(Account, newAccount(seed, services.now())))) throw takenId('accounts', 'id', id)
    for (const { user_id, role, permissions } of members.missing) await transaction.addMember(user_id, role, permissions)
    for (const resource of services.accountResources)
      await addChildren(transaction, resource, (fieldOf(seed, resource.table) ?? []) as SeedChild[], added)
  })
  if (!existing) return { id }
  const children = [
    ...members.missing.map(({ user_id }) => ({ kind: 'members', id: user_id })),
    ...[...added.created].flatMap(([kind, keys]) => [...keys].map((key) => ({ kind, id: key }))),
  ]
  return { id, differing: [...differing, ...added.differing], children }
}
