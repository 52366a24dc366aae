import { newBearerToken } from '../../access/app-bearer.ts'
import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { boolean, id, listOf, mapOf, object, optional, text } from '../../api/declare/words.ts'
import { appSettings } from '../../endpoints/operator/apps/app-settings.ts'
import type { SeedDocument } from '../../endpoints/operator/seed/seed-document.ts'
import { username } from '../../endpoints/users/username.ts'
import { randomAlphanumeric } from '../../lib/crypto.ts'
import type { Ids } from '../../lib/ids.ts'
import { hashRandomPassword } from '../../lib/password.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { AppStore } from '../../storage/apps.ts'
import type { BearerTokenStore } from '../../storage/bearer-tokens.ts'
import type { EventLog } from '../../storage/event-log.ts'
import type { UserStore } from '../../storage/users.ts'
import type { WorldStore } from '../../storage/worlds.ts'

/** How many worlds there may be at once. */
const MOST_WORLDS = 200
/** How many users one may have. */
const MOST_USERS = 50

const userKey = username({ example: 'ada' })

const worldId = id({ example: '1997712707928100864' })

/** All that a client of the world needs. Secrets are answered this once. */
const worldSchema = object({
  id: worldId,
  app: object({
    id: id(),
    consumer_key: text(),
    consumer_secret: text(),
    bearer_token: text(),
    oauth2_client_id: text(),
    oauth2_client_secret: text(),
  }),
  users: mapOf(object({ id: id(), username: text(), password: text(), oauth_token: text(), oauth_token_secret: text() }), {
    description: 'The users by the names that were asked for. Their usernames are unique on the server.',
  }),
  account: object({ id: text({ description: 'Of an advertising account on the production host, with a funding instrument.' }) }),
})

const noSuchWorld = (id: string) => new Problem('not-found', { detail: `There is no world ${id}.` })

const tooManyWorlds = () =>
  new Problem('conflict', {
    detail: `There are ${MOST_WORLDS} worlds already, the most there may be. DELETE /operator/worlds/:world_id deletes one.`,
  })

const KEY_LENGTH = 25
const SECRET_LENGTH = 50
const TOKEN_LENGTH = 40
const TOKEN_SECRET_LENGTH = 45
const PASSWORD_LENGTH = 16
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
    password: randomAlphanumeric(PASSWORD_LENGTH),
    oauth_token: `${id}-${randomAlphanumeric(TOKEN_LENGTH)}`,
    oauth_token_secret: randomAlphanumeric(TOKEN_SECRET_LENGTH),
  }
}

/** New credentials of an app, users and an account. */
const newWorld = (users: readonly string[], ids: Ids) => ({
  app: newApp(ids),
  users: Object.fromEntries(users.map((key) => [key, newUser(key, ids)])),
  account: { id: ids.nextBase36() },
})
type NewWorld = ReturnType<typeof newWorld>

/** The seed that makes a world. */
async function seedOf({ app, users, account }: NewWorld, name: string, callbackUrls: string[]): Promise<SeedDocument> {
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

interface CreateServices {
  worlds: WorldStore
  bearerTokens: BearerTokenStore
  ids: Ids
  seed: (document: SeedDocument) => Promise<unknown>
}

const USUAL_USERS = ['ada', 'bob']

export const createWorld = endpoint({
  name: 'createWorld',
  route: 'POST /operator/worlds',
  section: '§6',
  summary: 'Create a world: an app of its own, with users and an advertising account.',
  description:
    'Development only. For tests that run at the same time on one server: what the app of one world sees of another is what strangers see. The users have access tokens of the app that may read, write and send direct messages, and are administrators of the account. Delete the world after the test.',
  auth: operator,
  params: {
    users: optional(listOf(userKey, { min: 1, max: MOST_USERS, description: 'Names for the users, each once. Default: ada and bob.' })),
    name: optional(text({ max: 32, example: 'Checkout test', description: 'The name of the app and of the account. Default: World.' })),
    callback_urls: optional(appSettings.callback_urls),
  },
  success: 201,
  answer: object({ data: worldSchema }),
  problems: ['conflict'],
  async handle(
    { params: { users = USUAL_USERS, name = 'World', callback_urls = [] } },
    { worlds, bearerTokens, ids, seed }: CreateServices,
  ) {
    if ((await worlds.count()) >= MOST_WORLDS) throw tooManyWorlds()
    const world = newWorld(users, ids)
    const { app, account } = world
    await seed(await seedOf(world, name, callback_urls))
    await worlds.add(app.id, { userIds: Object.values(world.users).map(({ id }) => id), accountId: account.id })
    const bearer_token = (await bearerTokens.obtain(app.id, newBearerToken(), 1))!
    return { data: { id: app.id, app: { ...app, bearer_token }, users: world.users, account } }
  },
})

interface DeleteServices {
  worlds: WorldStore
  apps: AppStore
  users: UserStore
  eventLog: EventLog
  now: () => number
}

export const deleteWorld = endpoint({
  name: 'deleteWorld',
  route: 'DELETE /operator/worlds/:world_id',
  section: '§6',
  summary: 'Delete a world with all that its app and users made.',
  description:
    'Development only. The app, the users, advertising accounts that only they are members of, all content, messages and events. Of an event that is still being delivered to another app the log keeps the rows.',
  auth: operator,
  params: { world_id: worldId },
  answer: object({ data: object({ deleted: boolean() }) }),
  problems: ['not-found'],
  async handle({ params: { world_id } }, { worlds, apps, users, eventLog, now }: DeleteServices) {
    const world = await worlds.find(world_id)
    if (!world) throw noSuchWorld(world_id)
    await worlds.remove(world_id, world, async () => {
      for (const webhookId of (await apps.remove(world_id)) ?? []) await eventLog.cancel(webhookId, now(), 'webhook deleted')
      for (const userId of world.userIds) await users.remove(userId)
    })
    await eventLog.trim(now() + DAY_MS, { userIds: world.userIds })
    return { data: { deleted: true } }
  },
})
