import type { Seed, SeedApp } from './start-options.ts'

const DEFAULT_APP = {
  id: '1',
  name: 'Test',
  callback_urls: ['http://127.0.0.1:3009/cb'],
  permissions: 'read_write_dm',
  sign_in_with_service: true,
  ads_access: true,
  oauth2_client_type: 'confidential',
}

const random = () => crypto.randomUUID().replaceAll('-', '')

/** A new app with its keys. */
const withKeys = (app: SeedApp): SeedApp => ({
  consumer_key: `key-${random()}`,
  consumer_secret: `secret-${random()}${random()}`,
  ...app,
})

/** The seed of a test with what the kit must know of its first app: a missing one, and missing keys, are made. */
export function completeSeed(seed: Seed): Seed {
  const [first, ...others] = seed.apps ?? []
  const made = { ...DEFAULT_APP, oauth2_client_id: `client-${random()}`, oauth2_client_secret: `secret-${random()}${random()}` }
  return { ...seed, apps: [withKeys(first ? { id: '1', name: 'Test', ...first } : made), ...others] }
}
