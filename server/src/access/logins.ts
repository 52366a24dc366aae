import { availableParallelism } from 'node:os'
import { sha256, sha256Hex } from '../lib/crypto.ts'
import { createSemaphore, TooManyWaiting } from '../lib/mutex.ts'
import { isPasswordOf } from '../lib/password.ts'
import { HOUR_MS, MINUTE_MS } from '../lib/time.ts'
import type { RateWindows } from '../storage/rate-windows.ts'
import type { SignInAddresses, User, UserStore } from '../storage/users.ts'
import type { FailureLog } from './failure-log.ts'
import { clientNetworkOf, siteOf } from './networks.ts'
import type { ReportRefused } from './refused-credentials.ts'

const QUARTER_MS = 15 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** A window that counts failed logins, and how many it allows. */
interface Count {
  key: string
  windowMs: number
  most: number
}

/**
 * The windows of a day lie in a fixed number of slots, so no stranger makes more rows than that. Accounts that share a slot are counted
 * together. A network has two slots for an account and is refused when both are full.
 */
const ACCOUNT_SLOTS = 2 ** 16
const NETWORK_SLOTS = 2 ** 20

const slotOf = (slots: number, ...parts: (string | number)[]) => sha256(JSON.stringify(parts)).readUInt32BE(0) % slots

const inTwoSlots = (account: string, network: string, most: number): Count[] =>
  [0, 1].map((which) => ({ key: `login:network:${slotOf(NETWORK_SLOTS, which, account, network)}`, windowMs: DAY_MS, most }))

/** By what a failed login of an account from an address is counted. It is the same whether there is such an account or not. */
function countsOf(username: string, address: string) {
  const account = username.toLowerCase()
  const [customer, site] = [clientNetworkOf(address), siteOf(address)]
  return {
    /** All accounts that the address tries. */
    address: { key: `login:address:${customer}`, windowMs: QUARTER_MS, most: 50 },
    /** The account from the address. */
    pair: { key: `login:pair:${sha256Hex(JSON.stringify([account, customer]))}`, windowMs: QUARTER_MS, most: 10 },
    /** The account from everywhere. */
    minute: { key: `login:minute:${sha256Hex(account)}`, windowMs: MINUTE_MS, most: 100 },
    /** The same. Beyond it the account is under attack, and `networks` count too. */
    day: { key: `login:day:${slotOf(ACCOUNT_SLOTS, account)}`, windowMs: DAY_MS, most: 100 },
    /** The account from the address and, with IPv6, from its site. */
    networks: [inTwoSlots(account, customer, 3), ...(site === undefined ? [] : [inTwoSlots(account, site, 30)])],
  }
}

/** One attempt to log in, in the windows that count it. It is counted before it is judged, so attempts at the same time pass no limit. */
interface LoginAttempt {
  /**
   * Counts the attempt. Answers when it may be made again where there were too many, else undefined. From an address that the user is
   * known to sign in from, only what failed for this account from there counts.
   */
  refusedUntil(isKnown: () => Promise<boolean>): Promise<number | undefined>
  /** It did not fail. */
  uncount(): Promise<void>
}

const latest = (moments: readonly (number | undefined)[]): number | undefined => {
  const known = moments.filter((moment) => moment !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

export function beginLoginAttempt(windows: RateWindows, nowMs: number, username: string, address: string): LoginAttempt {
  const counts = countsOf(username, address)
  const counted = new Set<Count>()

  /** When the window ends in which this attempt is one too many. */
  const exceeds = async (count: Count): Promise<number | undefined> => {
    counted.add(count)
    const window = await windows.hit(count.key, count.windowMs, nowMs)
    return window.count > count.most ? window.resetAtMs : undefined
  }

  const uncount = async (some: readonly Count[] = [...counted]) => {
    const backed = some.filter((count) => counted.has(count))
    for (const count of backed) counted.delete(count)
    await Promise.all(backed.map(({ key, windowMs }) => windows.hit(key, windowMs, nowMs, -1)))
  }

  const exceedsBoth = async (slots: readonly Count[]): Promise<number | undefined> => {
    const ends = await Promise.all(slots.map(exceeds))
    return ends.includes(undefined) ? undefined : Math.min(...(ends as number[]))
  }

  const slowedUntil = async (): Promise<number | undefined> => {
    const [minute, day] = await Promise.all([exceeds(counts.minute), exceeds(counts.day)])
    const networks = day === undefined ? [] : await Promise.all(counts.networks.map(exceedsBoth))
    return latest([minute, ...networks])
  }

  return {
    async refusedUntil(isKnown) {
      const ofAddress = await exceeds(counts.address)
      if (ofAddress !== undefined && !(await isKnown())) return ofAddress
      const ofPair = await exceeds(counts.pair)
      if (ofPair !== undefined) return ofPair
      const slowed = await slowedUntil()
      if (slowed === undefined || (await isKnown())) return undefined
      // Nobody is slowed for what was not even judged.
      await uncount([counts.minute, counts.day, ...counts.networks.flat()])
      return slowed
    },
    uncount: () => uncount(),
  }
}

/** How long an address is known from which a user signed in. */
const KNOWN_MS = 90 * 24 * HOUR_MS

/** A verification takes 19 MB and some 20 ms of a core. One core is left for everything else. */
const maxConcurrent = () => Math.min(4, Math.max(1, availableParallelism() - 1))
const MAX_WAITING = 200

/** No user has this id. */
const NO_USER = ''

/** Why a login failed: a wrong user or password, too many logins at the same time, or a limit and when it ends. */
export type LoginRefusal = 'wrong' | 'busy' | { untilMs: number }

export interface Login {
  username: string
  password: string
  address: string
}

export interface LoginOptions {
  users: UserStore
  signInAddresses: SignInAddresses
  windows: RateWindows
  log: FailureLog
  reportRefused: ReportRefused
  now: () => number
}

/**
 * Verifies logins with a password, within the limits above. Neither the result nor its timing reveals whether the user exists or
 * is disabled; but for hashes that were given with another cost (docs/secure.md).
 */
export function createLogins({ users, signInAddresses, windows, log, reportRefused, now }: LoginOptions) {
  const limited = createSemaphore(maxConcurrent(), MAX_WAITING)

  const isKnown = async ({ username, address }: Login) => {
    const user = await users.byUsername(username)
    return signInAddresses.isKnown(user?.id ?? NO_USER, clientNetworkOf(address), now() - KNOWN_MS)
  }

  const verify = async ({ username, password }: Login): Promise<User | undefined> => {
    const user = await users.byUsername(username)
    const isRight = await limited(() => isPasswordOf(user?.passwordHash, password))
    return isRight && !user?.disabled ? user : undefined
  }

  const judge = async (login: Login): Promise<User | LoginRefusal> => {
    const attempt = beginLoginAttempt(windows, now(), login.username, login.address)
    const untilMs = await attempt.refusedUntil(() => isKnown(login))
    if (untilMs !== undefined) return { untilMs }
    try {
      const user = await verify(login)
      if (!user) return 'wrong'
      await attempt.uncount()
      await signInAddresses.remember(user, clientNetworkOf(login.address), now())
      return user
    } catch (error) {
      await attempt.uncount()
      if (error instanceof TooManyWaiting) return 'busy'
      throw error
    }
  }

  return async (login: Login): Promise<User | LoginRefusal> => {
    const result = await judge(login)
    if (result === 'wrong') reportRefused('password', login.address)
    if (result === 'wrong' || (typeof result === 'object' && 'untilMs' in result)) log.record('password', login.address)
    return result
  }
}
export type Logins = ReturnType<typeof createLogins>
