import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import type { AppPermissions } from '../../src/storage/apps.ts'

interface App {
  id: string
  consumer_key: string
}

/** An access token that an app has of a user, as a seed has it. */
export const seedConsent = (app: App, userId: string, permissions: AppPermissions = 'read_write_dm') => ({
  consumer_key: app.consumer_key,
  user_id: userId,
  oauth_token: `${userId}-${permissions}-of-app-${app.id}`,
  oauth_token_secret: 'secret of a consent',
  permissions,
})

/** The same seed, with users who have granted each of its apps everything: it may have their private events. */
export const consenting = (seed: SeedDocument, ...userIds: string[]): SeedDocument => ({
  ...seed,
  users: [...(seed.users ?? []), ...userIds.map((id) => ({ id, username: `user${id}` }))],
  tokens: [...(seed.tokens ?? []), ...userIds.flatMap((userId) => (seed.apps ?? []).map((app) => seedConsent(app as App, userId)))],
})
