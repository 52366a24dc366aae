import { didYouMean } from '../../../../server/src/lib/nearest.ts'
import { foldUsername, isUserId } from '../../kit/users.ts'
import type { Arguments } from '../command.ts'
import { Failure, wrongUsage } from '../failure.ts'
import { type Server, sayProblem } from '../server.ts'
import { DEMO_SEED, readSeedFile, type Seed, type SeededToken } from './read-seed.ts'

/** The keys of an app. */
interface AppKeys {
  name: string
  key: string
  secret: string
}

/** An app of a seed, and the tokens that users have granted it. */
interface SeededCredentials {
  app: AppKeys
  tokens: readonly SeededToken[]
  users: readonly { id: string; username: string }[]
}

type Environment = Readonly<Record<string, string | undefined>>

/** No endpoint tells a secret of an app that exists, so commands that sign take it from where the server took it: its seed. */
export async function seededCredentials({ options }: Arguments, environment: Environment = process.env): Promise<SeededCredentials> {
  const path = (options.seed as string | undefined) ?? environment.POSTERN_SEED ?? DEMO_SEED
  const { apps = [], tokens = [], users = [] } = (await readSeedFile(path)) as Seed
  const usable = apps.filter(({ consumer_key: key, consumer_secret: secret }) => key !== undefined && secret !== undefined)
  const app = options.app === undefined ? usable[0] : usable.find(({ consumer_key: key }) => key === options.app)
  if (app === undefined) {
    if (usable.length === 0) throw new Failure(`The seed ${path} has no app with a consumer_key and a consumer_secret.`)
    throw wrongUsage(
      `The seed has no app with the consumer key ${options.app}, but ${usable.map(({ consumer_key: key }) => key).join(', ')}.`,
    )
  }
  const { name, consumer_key: key = '', consumer_secret: secret = '' } = app
  return { app: { name: name ?? key, key, secret }, tokens: tokens.filter(({ consumer_key: of }) => of === key), users }
}

/** The id of the user of a seed who has this name, in whichever case and with or without `@`. */
const idByName = ({ users }: SeededCredentials, user: string) =>
  users.find(({ username }) => foldUsername(username) === foldUsername(user))?.id

/** The id of a user of the seed, named by it or by username. A user of whom the seed does not know is named by id. */
export function idOfUser(credentials: SeededCredentials, user: string): string {
  const id = idByName(credentials, user) ?? (isUserId(user) ? user : undefined)
  if (id !== undefined) return id
  const names = credentials.users.map(({ username }) => username)
  throw wrongUsage(`The seed has no user ${user}.${didYouMean(foldUsername(user), names)} Name one whom the seed does not have by id.`)
}

/** The token of a user, named by id or username; without a name the first. */
export function tokenOf(credentials: SeededCredentials, user: string | undefined): SeededToken {
  const { tokens, users } = credentials
  const id = user && (idByName(credentials, user) ?? user)
  const found = tokens.find(({ user_id }) => id === undefined || user_id === id)
  if (found) return found
  if (tokens.length === 0) throw new Failure('The seed has no tokens for this app.')
  const nameOf = (userId: string) => users.find((one) => one.id === userId)?.username ?? userId
  throw wrongUsage(`The seed has no token of user ${user}, but of ${tokens.map(({ user_id }) => nameOf(user_id)).join(', ')}.`)
}

const OK = 200

/** The bearer token of an app, as the value of an Authorization header. */
export async function bearerOf(server: Server, { key, secret, name }: AppKeys): Promise<string> {
  const basic = Buffer.from(`${encodeURIComponent(key)}:${encodeURIComponent(secret)}`).toString('base64')
  const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await server.send({ method: 'POST', url: `${server.url}/oauth2/token`, headers, body: 'grant_type=client_credentials' })
  if (answer.status === OK) return `Bearer ${answer.body.access_token}`
  const said = sayProblem('POST /oauth2/token', answer)
  throw new Failure(
    `${said}\nThe server does not know the app ${name} with this secret: name the seed that it was started with (--seed).`,
    1,
    answer,
  )
}
