import { didYouMean } from '../../../server/src/lib/nearest.ts'
import { type App, createApp } from './app.ts'
import { createDeliveries, type Deliveries } from './deliveries.ts'
import { type BeginDisorder, createBeginDisorder } from './disorder.ts'
import { createFaults, type Faults } from './faults.ts'
import { createInbox, type Inbox } from './inbox.ts'
import { type OperatorApi, unlessGone } from './operator-api.ts'
import { createRequests, type Requests } from './requests.ts'
import type { Snapshots } from './snapshots.ts'
import { createTrigger, type Trigger } from './trigger.ts'
import { foldUsername, isUserId, type Users } from './users.ts'

/** A user of a world. */
export interface WorldUser {
  id: string
  /** Unique on the server; not the name that was asked for. */
  username: string
  password: string
  oauth_token: string
  oauth_token_secret: string
}

export interface WorldOptions {
  /** What the test calls its users. Default: `ada` and `bob`. */
  users?: readonly string[]
  name?: string
}

/** An app of its own with users and data, for one test: many of them share a server without seeing each other. */
export interface World extends AsyncDisposable {
  readonly id: string
  readonly app: App
  readonly users: Readonly<Record<string, WorldUser>>
  /** Of the advertising API. */
  readonly account: { id: string }
  readonly inbox: Inbox
  readonly faults: Faults
  /** A disorder of its own, which other worlds neither see nor alter. */
  disorder: BeginDisorder
  readonly requests: Requests
  /** Users by the names of the world. Who is not named is another of its users, if one may. */
  trigger: Trigger
  /** Deliveries to the webhooks of its app, newest first. */
  deliveries: Deliveries
  /** Deletes all of it, as `await using` does. One that a reset or a restore took away is no error. */
  remove(): Promise<void>
  /** What `JSON.stringify` prints: no passwords, tokens or secrets. */
  toJSON(): object
}

interface Answer {
  data: {
    id: string
    app: {
      id: string
      consumer_key: string
      consumer_secret: string
      bearer_token: string
      oauth2_client_id: string
      oauth2_client_secret: string
    }
    users: Record<string, WorldUser>
    account: { id: string }
  }
}

/** The server that a world is made on: its operator endpoints, and its general host with the operator token. */
interface Host {
  api: OperatorApi
  general: OperatorApi
  url: string
  follow: Snapshots['follow']
}

/** The users of a world: by their names there, their usernames and their ids, and others by their ids alone. */
function createWorldUsers(users: Readonly<Record<string, WorldUser>>): Users {
  const names = Object.keys(users)
  const usernames = Object.values(users).map(({ id, username }) => [foldUsername(username), id] as const)
  const folded = new Map([...usernames, ...names.toReversed().map((name) => [foldUsername(name), users[name]!.id] as const)])
  const idOf = (user: string) => {
    const own = Object.hasOwn(users, user) ? users[user]!.id : folded.get(foldUsername(user))
    const id = own ?? (isUserId(user) ? user : undefined)
    if (id !== undefined) return id
    throw new Error(`the world has no user ${user}.${didYouMean(user, names)} It has ${names.join(', ')}; name others by their ids`)
  }
  return { idOf, find: async (user) => idOf(user), nameOf: (id) => names.find((name) => users[name]!.id === id) ?? id }
}

const APP_IS_GONE = 'the world is gone, after a reset, a restore or its removal: `await postern.world()` makes another'

/** Makes a world on the server at `url`. */
export async function createWorld({ api, general, url, follow: followAll }: Host, options: WorldOptions): Promise<World> {
  const { data } = await api.call<Answer>('POST', '/operator/worlds', options)
  const { id, app: made, users, account } = data
  const own = createWorldUsers(users)
  const tokens = Object.values(users).map(({ id: user_id, oauth_token, oauth_token_secret }) => ({
    consumer_key: made.consumer_key,
    user_id,
    oauth_token,
    oauth_token_secret,
  }))
  const { bearer_token: bearerToken, ...keys } = made
  const followed: (() => void)[] = []
  const follow: Snapshots['follow'] = (memory) => {
    const forget = followAll(memory)
    followed.push(forget)
    return forget
  }
  const inbox = createInbox({ api, appId: made.id, idOf: own.idOf, follow, appIsGone: APP_IS_GONE })
  const app = { ...createApp({ app: keys, users: own, tokens, url, api, follow }).app, bearerToken: async () => bearerToken }
  const shownUsers = Object.fromEntries(Object.entries(users).map(([name, user]) => [name, { id: user.id, username: user.username }]))
  const remove = async () => {
    await unlessGone(api.call('DELETE', `/operator/worlds/${id}`))
    for (const forget of followed) forget()
  }
  return {
    id,
    users,
    account,
    inbox,
    remove,
    app,
    faults: createFaults(api, made.id),
    disorder: createBeginDisorder(api, made.id),
    requests: createRequests(api, general, made.id),
    trigger: createTrigger(
      api,
      own.idOf,
      Object.values(users).map((user) => user.id),
    ),
    deliveries: createDeliveries(api, made.id),
    toJSON: () => ({ id, app, users: shownUsers, account, inbox }),
    [Symbol.asyncDispose]: remove,
  }
}
