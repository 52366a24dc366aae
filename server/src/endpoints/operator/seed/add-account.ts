import { isDeepStrictEqual } from 'node:util'
import { insertNew } from '../../../api/record-endpoints.ts'
import type { AnyResource } from '../../../api/resource.ts'
import type { Desk, StoredRecord } from '../../../storage/records.ts'
import { Account } from '../../ads/accounts/account.ts'
import { PRODUCTION, SANDBOX } from '../../ads/accounts/hosts.ts'
import { badSeed, takenId } from './bad-seed.ts'
import { differences } from './differences.ts'
import type { SeedAdder, SeedServices } from './seed-adder.ts'
import { accountParts, type SeedOf } from './seed-document.ts'

type Fields = Record<string, unknown>

/**
 * What stands already of a part, even if it was deleted since: that with its id, or, where the seed has none, one that is the same in all
 * that the seed says.
 */
async function standingOf(desk: Desk, kind: AnyResource, { id, ...fields }: Fields): Promise<StoredRecord | undefined> {
  if (id !== undefined) return desk.get(kind, id as string, true)
  const [field, value] = Object.entries(fields).find(([, value]) => typeof value === 'string') ?? []
  const candidates: Fields[] = field === undefined ? [] : await desk.find(kind, field, value as string, true)
  const isSame = (candidate: Fields) => Object.entries(fields).every(([name, value]) => isDeepStrictEqual(candidate[name], value))
  return candidates.find(isSame) as StoredRecord | undefined
}

/** What a part is a part of must be there. */
async function assertWhole(desk: Desk, { table, partOf }: AnyResource, given: Fields) {
  const id = partOf && (given[partOf.by] as string)
  if (id !== undefined && !(await desk.get(partOf!.kind, id)))
    throw badSeed('accounts', `${table}.${partOf!.by}`, id, 'is none of the account')
}

/** Answers the fields in which what stands differs. */
async function addPart(desk: Desk, kind: AnyResource, given: Fields, { ids }: SeedServices): Promise<string[]> {
  const standing = await standingOf(desk, kind, given)
  if (standing) return differences(given, standing).map((field) => `${kind.table}.${field}`)
  const id = (given.id as string | undefined) ?? ids.nextBase36()
  const missing = Object.entries(kind.columns).find(([name, { nullable }]) => !nullable && kind.complete(given)[name] === undefined)?.[0]
  const isInherited = missing !== undefined && kind.partOf !== undefined && missing in kind.partOf.kind.columns
  if (missing !== undefined && !isInherited) throw badSeed('accounts', `${kind.table}.${missing}`, '', 'is missing')
  await assertWhole(desk, kind, given)
  if (!(await insertNew(desk, kind, { ...given, id }))) throw takenId('accounts', `${kind.table}.id`, id)
  return []
}

const fieldsOf = (seed: SeedOf<'accounts'>) => Object.fromEntries(Object.entries(seed).filter(([name]) => name in Account.fields))

async function assertUsers({ users }: SeedServices['storage'], members: NonNullable<SeedOf<'accounts'>['members']>) {
  for (const { user_id: userId } of members)
    if (!(await users.byId(userId))) throw badSeed('accounts', 'members.user_id', userId, 'is not that of a user')
}

/** An advertising account with its members and all that is its own. */
export const addAccount: SeedAdder<'accounts'> = async (seed, services) => {
  const { records } = services.storage
  const { members = [], features = [] } = seed
  const id = seed.id ?? services.ids.nextBase36()
  const host = seed.sandbox ? SANDBOX : PRODUCTION
  await assertUsers(services.storage, members)
  const standing = await records.get(Account, host, id, true)
  const differing = standing ? differences(fieldsOf(seed), standing) : []
  await records.change(id, { nowMs: services.now() }, async (desk) => {
    const account = { ...fieldsOf(seed), id, host, features: [...features].sort() }
    if (!standing && !(await insertNew(desk, Account, account))) throw takenId('accounts', 'id', id)
    for (const { user_id: userId, role } of members) await desk.admit(userId, role)
    for (const kind of accountParts)
      for (const part of ((seed as Fields)[kind.table] ?? []) as Fields[]) differing.push(...(await addPart(desk, kind, part, services)))
  })
  return standing ? { id, differing } : { id }
}
