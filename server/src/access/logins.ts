import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import ipaddr from 'ipaddr.js'
import { createSemaphore, TooManyWaiting } from '../lib/mutex.ts'
import { isPasswordOf } from '../lib/password.ts'
import { MINUTE_MS } from '../lib/time.ts'
import type { RateWindows } from '../storage/rate-windows.ts'
import type { User, UserStore } from '../storage/users.ts'

const WINDOW_MS = 15 * MINUTE_MS
/** Limits of failed logins within a window. */
const MAX_PER_ACCOUNT = 10
const MAX_PER_ADDRESS = 50

/** A verification takes 19 MB and some 20 ms of a core. One core is left for everything else. */
const maxConcurrent = () => Math.min(4, Math.max(1, availableParallelism() - 1))
const MAX_WAITING = 200

/** Why a login failed: a wrong user or password, too many logins at the same time, or a limit and when it ends. */
export type LoginRefusal = 'wrong' | 'busy' | { untilMs: number }

export interface Login {
  username: string
  password: string
  address: string
}

/** The key for failed logins of an address. An IPv6 /64 network counts as one, because one customer has all of it. */
const customerOf = (address: string) =>
  isIP(address) === 6
    ? `${ipaddr.IPv6.parse(address.split('%', 1)[0]!)
        .parts.slice(0, 4)
        .map((group) => group.toString(16))
        .join(':')}::/64`
    : address

/**
 * Verifies logins with a password, with limits for failed ones. An attempt is counted before it is verified and uncounted if it succeeds, so
 * that concurrent attempts cannot exceed a limit. Neither the result nor its timing reveals whether the user exists.
 */
export function createLogins(users: UserStore, windows: RateWindows, now: () => number) {
  const limited = createSemaphore(maxConcurrent(), MAX_WAITING)

  const count = (key: string, weight = 1) => windows.hit(key, WINDOW_MS, now(), weight)

  const verify = async ({ username, password }: Login): Promise<User | undefined> => {
    const user = await users.byUsername(username)
    const isRight = await limited(() => isPasswordOf(user?.passwordHash, password))
    return isRight ? user : undefined
  }

  return async (login: Login): Promise<User | LoginRefusal> => {
    const keys = { address: `login:address:${customerOf(login.address)}`, account: `login:account:${login.username.toLowerCase()}` }
    const uncount = async (...taken: string[]) => void (await Promise.all(taken.map((key) => count(key, -1))))
    const ofAddress = await count(keys.address)
    if (ofAddress.count > MAX_PER_ADDRESS) return { untilMs: ofAddress.resetAtMs }
    const ofAccount = await count(keys.account)
    if (ofAccount.count > MAX_PER_ACCOUNT) return { untilMs: ofAccount.resetAtMs }
    try {
      const user = await verify(login)
      if (!user) return 'wrong'
      await uncount(keys.address, keys.account)
      return user
    } catch (error) {
      await uncount(keys.address, keys.account)
      if (error instanceof TooManyWaiting) return 'busy'
      throw error
    }
  }
}
export type Logins = ReturnType<typeof createLogins>
