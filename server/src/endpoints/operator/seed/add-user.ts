import { passwordHashOf } from '../users/new-password.ts'
import { differences } from './differences.ts'
import type { SeedAdder } from './seed-adder.ts'

export const addUser: SeedAdder<'users'> = async (seed, { storage: { users }, ids, now }) => {
  const { id, username, name, password, disabled } = seed
  const existing = (id && (await users.byId(id))) || (await users.byUsername(username))
  if (existing) return { id: existing.id, differing: differences({ username, id, name, disabled }, existing) }
  const user = {
    id: id ?? ids.next(),
    username,
    name: name ?? username,
    passwordHash: password === undefined ? null : await passwordHashOf(password),
    disabled: disabled ?? false,
    createdAtMs: now(),
  }
  await users.insert(user)
  return { id: user.id }
}
