import { type OperatorApi, PosternError, UNDISTURBED } from './operator-api.ts'
import type { Snapshots } from './snapshots.ts'
import type { Seed, SeedApp, SeedToken } from './start-options.ts'
import type { Users } from './users.ts'

/** What `new TwitterApi(…)` of `twitter-api-v2` takes to call as a user; other OAuth 1.0a clients have other names for the same. */
export interface UserCredentials {
  /** The consumer key. */
  appKey: string
  /** The consumer secret. */
  appSecret: string
  accessToken: string
  accessSecret: string
}

/** What `new TwitterApi(…)` takes to sign users in with OAuth 2.0. */
export interface OAuth2Client {
  clientId: string
  /** A public client has none. */
  clientSecret?: string
}

/** A user by its id, or by its username in any case. */
export type UserName = string

/** An app and its users. */
export interface App {
  readonly id: string
  readonly consumerKey: string
  readonly consumerSecret: string
  /** @throws when the app has no OAuth 2.0 client. */
  readonly oauth2Client: OAuth2Client
  /** The credentials of a user who has allowed the app already. @throws with the users who have. */
  userCredentials(user: UserName): UserCredentials
  /** As if the user had allowed the app: makes an access token unless there is one. @throws when nobody has the name. */
  authorize(user: UserName): Promise<UserCredentials>
  /** The app's own token (`POST /oauth2/token`), for calls without a user. */
  bearerToken(): Promise<string>
  /** What `JSON.stringify` prints: no secrets. */
  toJSON(): object
}

/** What an app is made of. */
export interface AppParts {
  app: Required<Pick<SeedApp, 'id' | 'consumer_key' | 'consumer_secret'>> & SeedApp
  users: Users
  tokens: readonly SeedToken[]
  /** Of the general host. */
  url: string
  api: OperatorApi
  follow: Snapshots['follow']
}

// Taken at once, as in `operator-api.ts`.
const { fetch } = globalThis

async function obtainBearerToken(url: string, key: string, secret: string): Promise<string> {
  const authorization = `Basic ${Buffer.from(`${encodeURIComponent(key)}:${encodeURIComponent(secret)}`).toString('base64')}`
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded', ...UNDISTURBED }
  const response = await fetch(new URL('/oauth2/token', url), { method: 'POST', headers, body: 'grant_type=client_credentials' })
  const text = await response.text()
  if (!response.ok) throw new PosternError(`POST /oauth2/token was refused with ${response.status}: ${text}`, response.status, text)
  return (JSON.parse(text) as { access_token: string }).access_token
}

/** An app, and what tells it of tokens that were loaded. */
interface MadeApp {
  app: App
  learn(tokens: readonly SeedToken[]): void
}

/** Makes an app of the kit. */
export function createApp({ app, users, tokens: seeded, url, api, follow }: AppParts): MadeApp {
  const { id, consumer_key: consumerKey, consumer_secret: consumerSecret } = app
  const ownOf = (all: readonly SeedToken[]) =>
    all.filter((token) => token.consumer_key === consumerKey).map((token) => [token.user_id, token] as const)
  const bySeed: ReadonlyMap<string, SeedToken> = new Map(ownOf(seeded))
  let allowing = new Map(bySeed)
  // A user keeps their token, so that it is right in a state that is restored too.
  const tokens = new Map(bySeed)

  const credentialsOf = ({ oauth_token, oauth_token_secret }: SeedToken): UserCredentials => ({
    appKey: consumerKey,
    appSecret: consumerSecret,
    accessToken: oauth_token,
    accessSecret: oauth_token_secret,
  })

  follow({
    remember: () => new Map(allowing),
    recall(remembered) {
      allowing = new Map((remembered as ReadonlyMap<string, SeedToken> | undefined) ?? bySeed)
    },
  })

  const learn = (more: readonly SeedToken[]) => {
    for (const [userId, token] of ownOf(more)) {
      tokens.set(userId, token)
      allowing.set(userId, token)
    }
  }

  const made: App = {
    id,
    consumerKey,
    consumerSecret,
    get oauth2Client() {
      if (app.oauth2_client_id === undefined)
        throw new Error(`the app ${id} has no OAuth 2.0 client: give it an oauth2_client_id in the seed`)
      return { clientId: app.oauth2_client_id, ...(app.oauth2_client_secret !== undefined && { clientSecret: app.oauth2_client_secret }) }
    },
    userCredentials(user) {
      const token = allowing.get(users.idOf(user))
      if (token) return credentialsOf(token)
      const allowed = [...allowing.keys()].map(users.nameOf)
      const known = allowed.length > 0 ? `these have: ${allowed.join(', ')}` : 'nobody has'
      throw new Error(`${user} has not allowed the app ${id}; ${known}. \`await app.authorize('${user}')\` makes a token`)
    },
    async authorize(user) {
      const random = () => crypto.randomUUID().replaceAll('-', '')
      const userId = await users.find(user)
      const fresh = { consumer_key: consumerKey, user_id: userId, oauth_token: `${userId}-${random()}`, oauth_token_secret: random() }
      const token = allowing.get(userId) ?? tokens.get(userId) ?? fresh
      // Also a token that is known: a reset may have taken it away, or the user.
      await api.call('POST', '/operator/seed', { tokens: [token] } satisfies Seed)
      learn([token])
      return credentialsOf(token)
    },
    bearerToken: () => obtainBearerToken(url, consumerKey, consumerSecret),
    toJSON: () => ({ id, consumerKey }),
  }
  return { app: made, learn }
}
