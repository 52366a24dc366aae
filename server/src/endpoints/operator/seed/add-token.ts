import { appWithKey } from './app-with-key.ts'
import { differences } from './differences.ts'
import { invalidSeed } from './invalid-seed.ts'
import type { SeedAdder } from './seed-adder.ts'

/**
 * An access token, as if the user had signed in. Its access is the app's permission unless the seed says less. One that
 * the app has for the user meanwhile, of the same access, stays.
 */
export const addToken: SeedAdder<'tokens'> = async (seed, services) => {
  const { users, userTokens } = services.storage
  const { user_id: userId, oauth_token: token, oauth_token_secret: secret } = seed
  const app = await appWithKey(services, 'tokens', seed.consumer_key)
  const access = seed.permissions ?? app.permissions
  const id = `${app.id}:${userId}:${access}`
  const existing = (await userTokens.find(token))?.token
  if (existing) return { id, differing: differences({ appId: app.id, userId, secret, access: seed.permissions }, existing) }
  if (!(await users.byId(userId))) throw invalidSeed('tokens', 'user_id', userId, 'does not belong to any user')
  const isNew = await userTokens.insert({ token, secret, appId: app.id, userId, access, createdAtMs: services.now() })
  return isNew ? { id } : { id, differing: ['token'] }
}
