import { readFile } from 'node:fs/promises'
import { firstCommands } from '../../endpoints/description/first-commands.ts'
import { DEMO_SEED, DEMO_USER } from '../../endpoints/operator/seed/read-seed.ts'
import type { SeedDocument } from '../../endpoints/operator/seed/seed-document.ts'
import { equalInConstantTime } from '../../lib/crypto.ts'
import { lazy } from '../../lib/lazy.ts'
import type { App } from '../../storage/apps.ts'
import type { UserTokenStore } from '../../storage/user-tokens.ts'
import type { User } from '../../storage/users.ts'
import type { Given } from '../given.ts'

/** An app with what a client needs. Its secrets are there only if they are the published ones of the demo seed. */
export interface ShownApp {
  id: string
  name: string
  consumerKey: string
  consumerSecret?: string | undefined
  oauth2ClientId?: string | undefined
  oauth2ClientSecret?: string | undefined
}

/** A published token that is still valid. */
export interface ShownToken {
  appId: string
  token: string
  secret: string
}

export interface ShownPerson {
  id: string
  username: string
  name: string
  /** Of the demo user who can sign in. */
  password?: string | undefined
  tokens: ShownToken[]
}

/** Something to paste into a terminal. */
export interface Paste {
  says: string
  command: string
}

/** What a client under development needs. */
export interface Keys {
  /** The first ones, by id, like people. */
  apps: ShownApp[]
  people: ShownPerson[]
  hasMorePeople: boolean
  pastes: Paste[]
}

const SHOWN_APPS = 20
const SHOWN_PEOPLE = 50

/** `.postern/operator-token` is where a development server keeps the token that it made. */
export const OPERATOR_TOKEN_FILE = '.postern/operator-token'

/** The demo seed as it is published: its secrets are no secrets. */
const publishedSeed = lazy(async (): Promise<SeedDocument> => JSON.parse(await readFile(DEMO_SEED, 'utf8')))

/** The secrets of a demo app that are published and still valid; none of another app. */
function publishedOf({ consumerKey, consumerSecret, oauth2ClientId, oauth2ClientSecret }: App, { apps }: SeedDocument) {
  const demo = apps?.find(({ consumer_key }) => consumer_key === consumerKey)
  if (!demo?.consumer_secret || !equalInConstantTime(demo.consumer_secret, consumerSecret)) return {}
  const clientSecret = demo.oauth2_client_secret ?? ''
  const keepsClient = demo.oauth2_client_id === oauth2ClientId && equalInConstantTime(clientSecret, oauth2ClientSecret ?? '')
  return { consumerSecret: demo.consumer_secret, ...(keepsClient && { oauth2ClientSecret: clientSecret }) }
}

const shownApp = (app: App, published: SeedDocument): ShownApp => ({
  id: app.id,
  name: app.name,
  consumerKey: app.consumerKey,
  oauth2ClientId: app.oauth2ClientId ?? undefined,
  ...publishedOf(app, published),
})

/** The published tokens of a user that nobody has revoked. */
async function tokensOf(userId: string, { tokens = [] }: SeedDocument, userTokens: Pick<UserTokenStore, 'find'>): Promise<ShownToken[]> {
  const own = tokens.filter(({ user_id }) => user_id === userId)
  const found = await Promise.all(own.map(({ oauth_token }) => (oauth_token ? userTokens.find(oauth_token) : undefined)))
  return found.flatMap((one, at) =>
    one?.user.id === userId && equalInConstantTime(one.token.secret, own[at]!.oauth_token_secret ?? '')
      ? [{ appId: one.token.appId, token: one.token.token, secret: one.token.secret }]
      : [],
  )
}

/** The demo seed is published with the hash of this password alone. */
const passwordOf = ({ id, username, passwordHash }: User, { users }: SeedDocument) => {
  const demo = users?.find((user) => user.id === id)
  const isPublished = demo?.password !== undefined && equalInConstantTime(demo.password, passwordHash ?? '')
  return username === DEMO_USER.username && isPublished ? DEMO_USER.password : undefined
}

function pastesOf(apps: readonly ShownApp[], people: readonly ShownPerson[], { listening: { origins } }: Given): Paste[] {
  const demo = apps.find(({ consumerSecret }) => consumerSecret !== undefined)
  if (!demo) return []
  const [person] = people
  return [
    { says: 'Receive events in one terminal:', command: 'npx postern listen' },
    ...(person ? [{ says: 'Make one in another:', command: `npx postern trigger dm.received --to ${person.username} --text Hello` }] : []),
    {
      says: 'The same by hand, with the receiver of a clone (npm run receive): a token, a webhook, a subscription, an event.',
      command: firstCommands(origins, demo.consumerKey, demo.consumerSecret!, `$(cat ${OPERATOR_TOKEN_FILE})`).trim(),
    },
  ]
}

/** Which keys and people there are, and what to paste first. No secret is there but those of the published demo seed, and never the operator token. */
export async function readKeys(given: Given): Promise<Keys> {
  const { apps, users, userTokens } = given.storage
  const published = await publishedSeed()
  const [allApps, allUsers] = await Promise.all([apps.list(null, SHOWN_APPS), users.list({ after: null, limit: SHOWN_PEOPLE + 1 })])
  const shown = allApps.map((app) => shownApp(app, published))
  const people = await Promise.all(
    allUsers.slice(0, SHOWN_PEOPLE).map(async (user) => ({
      id: user.id,
      username: user.username,
      name: user.name,
      password: passwordOf(user, published),
      tokens: await tokensOf(user.id, published, userTokens),
    })),
  )
  return { apps: shown, people, hasMorePeople: allUsers.length > SHOWN_PEOPLE, pastes: pastesOf(shown, people, given) }
}
