import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { Client } from 'pg'
import { recordTypes } from '../../src/endpoints/index.ts'
import { type Clock, createClock, holdProcess } from '../../src/lib/clock.ts'
import { wholeNumber } from '../../src/lib/numbers.ts'
import { createSeal } from '../../src/lib/seal.ts'
import type { App } from '../../src/storage/apps.ts'
import type { AuthorizationCode, NewTokens } from '../../src/storage/oauth2-grants.ts'
import type { RecordType } from '../../src/storage/records.ts'
import type { ReplayJob } from '../../src/storage/replay-jobs.ts'
import type { RequestToken } from '../../src/storage/request-tokens.ts'
import type { ResendJob } from '../../src/storage/resend-jobs.ts'
import { openStorage } from '../../src/storage/sql/open-storage.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { Subscription } from '../../src/storage/subscriptions.ts'
import type { UserToken } from '../../src/storage/user-tokens.ts'
import type { User } from '../../src/storage/users.ts'
import type { ChallengeDecision, Webhook } from '../../src/storage/webhooks.ts'
import { type Flavour, migratedDatabase } from '../stage/database.ts'
import { atFileEnd } from '../stage/file-end.ts'

export const SECRET = 'a sealing secret of forty characters or so'

/** Opens a storage that knows these types. */
export const openWith = (url: string, recordTypes: readonly RecordType[]): Promise<Storage> =>
  openStorage({ url, clock: createClock(), recordTypes, seal: createSeal([SECRET]) })

export const openAt = (url: string, clock: Clock = createClock(), secrets: string[] = [SECRET]): Promise<Storage> =>
  openStorage({ url, clock, recordTypes, seal: createSeal(secrets) })

export interface OpenedAlone extends AsyncDisposable {
  url: string
  clock: Clock
  storage: Storage
}

interface OpenOptions {
  /** Opened for this test: one that changes tables, ends sessions, or looks at what the database knows of processes. */
  fresh?: boolean
  /** Kinds of records besides those of the server. */
  kinds?: readonly RecordType[]
}

/** Two storages on one database where several processes may share it, else the one: whoever competes uses each in turn. */
export interface Opened extends OpenedAlone {
  storages: Storage[]
}

interface Opening extends Opened {
  /** Deletes all rows. False when the test has done what that does not undo. */
  empty(): Promise<boolean>
}

async function open(flavour: Flavour, count: number, kinds: readonly RecordType[]): Promise<Opening> {
  const database = await migratedDatabase(flavour)
  const types = [...recordTypes, ...kinds]
  const clock = createClock()
  let isClosed = false
  const openOne = async () => {
    const storage = await openStorage({ url: database.url, clock, recordTypes: types, seal: createSeal([SECRET]), unheld: true })
    const close = () => {
      isClosed = true
      return storage.close()
    }
    return { ...storage, close }
  }
  const storages: Storage[] = []
  while (storages.length < count) storages.push(await openOne())
  return {
    url: database.url,
    clock,
    storage: storages[0]!,
    storages,
    async empty() {
      if (isClosed || clock.offset() !== 0) return false
      await storages[0]!.wipe()
      return true
    },
    async [Symbol.asyncDispose]() {
      for (const storage of storages.toReversed()) await storage.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** The storages that no test uses at the moment, by their database, how many share it, and the kinds of records besides. */
const waiting = new Map<string, Opening>()
async function close(isMeant = (_: Opening) => true) {
  for (const [kind, opening] of waiting) {
    if (!isMeant(opening)) continue
    waiting.delete(kind)
    await opening[Symbol.asyncDispose]()
  }
}
process.on('beforeExit', () => close())
atFileEnd(() => close(({ storages }) => storages.length > 1))

/** `count` storages on an empty database, with the app '1' in it. */
async function openedFor(flavour: Flavour, count: number, { fresh = false, kinds = [] }: OpenOptions): Promise<Opened> {
  const hold = holdProcess()
  const kind = [flavour, count, ...kinds.map(({ table }) => table)].join(' ')
  const taken = fresh ? undefined : waiting.get(kind)
  if (taken) waiting.delete(kind)
  const opening = taken ?? (await open(flavour, count, kinds))
  await opening.storage.apps.insert(anApp())
  return {
    ...opening,
    async [Symbol.asyncDispose]() {
      if (!fresh && !waiting.has(kind) && (await opening.empty().catch(() => false))) waiting.set(kind, opening)
      else await opening[Symbol.asyncDispose]()
      hold[Symbol.dispose]()
    },
  }
}

/** A storage on an empty database, with the app '1' in it: the one that another test is done with, which takes a tenth of opening one. */
export const openedAlone = (flavour: Flavour, options: OpenOptions = {}): Promise<OpenedAlone> => openedFor(flavour, 1, options)

/** The same for a test of processes that share a database. */
export const opened = (flavour: Flavour, options: OpenOptions = {}): Promise<Opened> =>
  openedFor(flavour, flavour === 'postgres' ? 2 : 1, options)

/** PostgreSQL's `lock_not_available`. */
const isLockTimeout = (error: unknown) => ((error as Error).cause as { code?: unknown } | undefined)?.code === '55P03'

/** Tries again where the database says that nothing was changed: on a slow machine the last of many waits too long for a lock. */
async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!isLockTimeout(error)) throw error
    }
  }
}

/** Runs `attempt` twenty times at once, over all storages. */
export const twentyAtOnce = <T>(storages: Storage[], attempt: (storage: Storage, n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: 20 }, (_, n) => retried(() => attempt(storages[n % storages.length]!, n))))

/** SQLITE_BUSY: another thread or process, or a transaction of this thread, is writing just now. */
const SQLITE_BUSY = 5

/** With numbers where a double has them exactly. */
const withNumbers = (row: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? wholeNumber(String(value)) : value]))

/** Whoever writes is let finish, also if it is this very thread: SQLite's own timeout would not let it. */
async function askFile(path: string, query: string) {
  for (;;) {
    using file = new DatabaseSync(path)
    try {
      const statement = file.prepare(query)
      statement.setReadBigInts(true)
      return statement.all().map(withNumbers)
    } catch (cause) {
      if ((cause as { errcode?: number }).errcode !== SQLITE_BUSY) throw cause
    }
    await setImmediate()
  }
}

/** A connection to PostgreSQL, past the storage, for a test that asks again and again. */
export async function connectedTo(url: string) {
  const client = new Client({ connectionString: url })
  await client.connect()
  return {
    rows: async (query: string): Promise<Record<string, unknown>[]> => (await client.query(query)).rows,
    [Symbol.asyncDispose]: () => client.end(),
  }
}

/** Asks the database itself, past the storage. */
export async function rawRows(url: string, query: string): Promise<Record<string, unknown>[]> {
  if (url.startsWith('sqlite:')) return askFile(url.slice('sqlite:'.length), query)
  await using connection = await connectedTo(url)
  return await connection.rows(query)
}

interface Column {
  table: string
  column: string
}

/** Every column of every table that the database has. */
export const columnsOf = async (url: string): Promise<Column[]> =>
  (await rawRows(
    url,
    url.startsWith('sqlite:')
      ? `select tables.name as "table", columns.name as "column" from sqlite_schema as tables, pragma_table_info(tables.name) as columns where tables.type = 'table'`
      : `select table_name as "table", column_name as "column" from information_schema.columns where table_schema = 'public'`,
  )) as unknown as Column[]

export const anApp = (changes: Partial<App> = {}): App => ({
  id: '1',
  name: 'Demo',
  consumerKey: `key of ${changes.id ?? '1'}`,
  consumerSecret: 'the secret',
  secretVersion: 1,
  previousConsumerSecret: null,
  previousSecretUntilMs: null,
  callbackUrls: ['https://demo.example/callback'],
  permissions: 'read_write_dm',
  signInWithService: true,
  webhookLimit: 5,
  adsAccess: false,
  earlyAccess: ['catalogs'],
  activityEnrolled: true,
  usageCap: null,
  eventQuota: null,
  deliveryQuota: null,
  rowQuota: null,
  oauth2ClientId: `client of ${changes.id ?? '1'}`,
  oauth2ClientType: 'confidential',
  oauth2ClientSecret: 'the client secret',
  suspended: false,
  portalGeneration: 1,
  createdAtMs: 1_700_000_000_000,
  ...changes,
})

export const aUser = (changes: Partial<User> = {}): User => ({
  id: '101',
  username: 'Ada',
  name: 'Ada L.',
  passwordHash: '$argon2id$…',
  disabled: false,
  createdAtMs: 1_700_000_000_000,
  ...changes,
})

export const aRequestToken = (changes: Partial<RequestToken> = {}): Omit<RequestToken, 'granted'> => ({
  token: 'request-token-in-the-clear',
  secret: 'request-secret-in-the-clear',
  appId: '1',
  callback: 'https://demo.example/callback',
  access: 'read_write',
  expiresAtMs: 1_700_000_900_000,
  ...changes,
})

export const aUserToken = (changes: Partial<UserToken> = {}): UserToken => ({
  token: '101-token-in-the-clear',
  secret: 'token-secret-in-the-clear',
  appId: '1',
  userId: '101',
  access: 'read_write',
  createdAtMs: 1_700_000_000_000,
  ...changes,
})

export const aCode = (changes: Partial<AuthorizationCode> = {}): AuthorizationCode => ({
  code: 'code-in-the-clear',
  appId: '1',
  userId: '101',
  scopes: ['post.read', 'offline.access'],
  redirectUri: 'https://demo.example/callback',
  challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  challengeMethod: 'S256',
  expiresAtMs: 1_700_000_030_000,
  ...changes,
})

/** Tokens that are valid for two hours, and their grant for a day. */
export const newTokens = (name = 'first', nowMs = 1_700_000_000_000): NewTokens => ({
  access: `access-${name}-in-the-clear`,
  accessUntilMs: nowMs + 7_200_000,
  refresh: `refresh-${name}-in-the-clear`,
  grantUntilMs: nowMs + 86_400_000,
})

export const aWebhook = (changes: Partial<Webhook> = {}): Webhook => ({
  id: '10',
  appId: '1',
  url: `https://demo.example/${changes.id ?? '10'}`,
  normalUrl: `https://demo.example/${changes.id ?? '10'}`,
  valid: true,
  createdAtMs: 1_700_000_000_000,
  nextChallengeAtMs: 5000,
  provenSecretVersion: 1,
  lastChallenge: null,
  ...changes,
})

export const FAILED: ChallengeDecision = { valid: false, atMs: 70, nextChallengeAtMs: null, failure: 'answered 500' }
export const PASSED: ChallengeDecision = { valid: true, atMs: 80, nextChallengeAtMs: 1, provenSecretVersion: 2 }

export const aSubscription = (changes: Partial<Subscription> = {}): Subscription => ({
  id: '1000',
  appId: '1',
  webhookId: '10',
  eventType: 'dm.received',
  filter: { userId: '101' },
  tag: null,
  createdAtMs: 1_700_000_000_000,
  updatedAtMs: 1_700_000_000_000,
  ...changes,
})

export const aResendJob = (changes: Partial<ResendJob> = {}): ResendJob => ({
  id: '500',
  appId: null,
  eventType: null,
  states: ['given_up', 'not_sent'],
  fromMs: 1_700_000_000_000,
  toMs: 1_700_000_060_000,
  state: 'running',
  place: null,
  resent: 0,
  refused: 0,
  createdAtMs: 1_700_000_000_000,
  finishedAtMs: null,
  ...changes,
})

export const aReplayJob = (changes: Partial<ReplayJob> = {}): ReplayJob => ({
  id: '500',
  appId: '1',
  webhookId: '10',
  fromMs: 1_700_000_000_000,
  toMs: 1_700_000_060_000,
  state: 'running',
  position: 0,
  delivered: 0,
  failed: 0,
  createdBy: 'app',
  createdAtMs: 1_700_000_000_000,
  finishedAtMs: null,
  reported: false,
  ...changes,
})
