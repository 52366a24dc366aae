import { hashPassword, isPasswordHash } from '../../../lib/password.ts'
import { differences } from './differences.ts'
import type { SeedAdder } from './seed-adder.ts'

const passwordHashOf = async (password: string | undefined) =>
  password === undefined || isPasswordHash(password) ? (password ?? null) : hashPassword(password)

export const addUser: SeedAdder<'users'> = async (seed, { storage: { users }, ids, now }) => {
  const { id, username, name, password } = seed
  const existing = (id && (await users.byId(id))) || (await users.byUsername(username))
  if (existing) return { id: existing.id, differing: differences({ username, id, name }, existing) }
  const user = {
    id: id ?? ids.next(),
    username,
    name: name ?? username,
    passwordHash: await passwordHashOf(password),
    createdAtMs: now(),
  }
  await users.insert(user)
  return { id: user.id }
}
