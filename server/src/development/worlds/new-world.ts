import type { SeedDocument } from '../../endpoints/operator/seed/seed-document.ts'
import { randomAlphanumeric, randomUrlText } from '../../lib/crypto.ts'
import type { Ids } from '../../lib/ids.ts'
import { hashRandomPassword } from '../../lib/password.ts'

const KEY_LENGTH = 25
const SECRET_LENGTH = 50
const TOKEN_LENGTH = 40
const TOKEN_SECRET_LENGTH = 45
const PASSWORD_BYTES = 12
/** A username has at most 15 characters, of which these make it unique. */
const NAME_LENGTH = 8
const SUFFIX_LENGTH = 6

const newApp = (ids: Ids) => ({
  id: ids.next(),
  consumer_key: randomAlphanumeric(KEY_LENGTH),
  consumer_secret: randomAlphanumeric(SECRET_LENGTH),
  oauth2_client_id: randomAlphanumeric(KEY_LENGTH),
  oauth2_client_secret: randomAlphanumeric(SECRET_LENGTH),
})

function newUser(key: string, ids: Ids) {
  const id = ids.next()
  return {
    id,
    username: `${key.slice(0, NAME_LENGTH)}_${randomAlphanumeric(SUFFIX_LENGTH).toLowerCase()}`,
    password: randomUrlText(PASSWORD_BYTES),
    oauth_token: `${id}-${randomAlphanumeric(TOKEN_LENGTH)}`,
    oauth_token_secret: randomAlphanumeric(TOKEN_SECRET_LENGTH),
  }
}

/** New credentials of an app, users and an account. */
export const newWorld = (users: readonly string[], ids: Ids) => ({
  app: newApp(ids),
  users: Object.fromEntries(users.map((key) => [key, newUser(key, ids)])),
  account: { id: ids.nextBase36() },
})
export type NewWorld = ReturnType<typeof newWorld>

/** The seed that makes a world. */
export async function seedOf({ app, users, account }: NewWorld, name: string, callbackUrls: string[]): Promise<SeedDocument> {
  const entries = Object.entries(users)
  const { consumer_key } = app
  const members = entries.map(([, { id }]) => ({ user_id: id, role: 'ACCOUNT_ADMIN' as const }))
  return {
    apps: [{ ...app, name, callback_urls: callbackUrls, permissions: 'read_write_dm', sign_in_with_service: true, ads_access: true }],
    users: await Promise.all(
      entries.map(async ([key, { id, username, password }]) => ({ id, username, name: key, password: await hashRandomPassword(password) })),
    ),
    tokens: entries.map(([, { id, oauth_token, oauth_token_secret }]) => ({ consumer_key, user_id: id, oauth_token, oauth_token_secret })),
    accounts: [{ ...account, name, members, funding_instruments: [{}] } as NonNullable<SeedDocument['accounts']>[number]],
  }
}
