import { newBearerToken } from '../../access/new-bearer-token.ts'
import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { listOf, object, optional, text } from '../../api/declare/words.ts'
import { appSettings } from '../../endpoints/operator/apps/app-settings.ts'
import type { SeedDocument } from '../../endpoints/operator/seed/seed-document.ts'
import type { Ids } from '../../lib/ids.ts'
import type { BearerTokenStore } from '../../storage/bearer-tokens.ts'
import type { WorldStore } from '../../storage/worlds.ts'
import { newWorld, seedOf } from './new-world.ts'
import { MOST_USERS, MOST_WORLDS, tooManyWorlds, userKey, worldSchema } from './world-words.ts'

interface Services {
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
  async handle({ params: { users = USUAL_USERS, name = 'World', callback_urls = [] } }, { worlds, bearerTokens, ids, seed }: Services) {
    if ((await worlds.count()) >= MOST_WORLDS) throw tooManyWorlds()
    const world = newWorld(users, ids)
    const { app, account } = world
    await seed(await seedOf(world, name, callback_urls))
    await worlds.add(app.id, { userIds: Object.values(world.users).map(({ id }) => id), accountId: account.id })
    const bearer_token = (await bearerTokens.obtain(app.id, newBearerToken(), 1))!
    return { data: { id: app.id, app: { ...app, bearer_token }, users: world.users, account } }
  },
})
