import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import ipaddr from 'ipaddr.js'
import { createSemaphore, TooManyWaiting } from '../lib/mutex.ts'
import { isPasswordOf } from '../lib/password.ts'
import { MINUTE_MS } from '../lib/time.ts'
import type { RateWindows } from '../storage/rate-windows.ts'
import type { User, UserStore } from '../storage/users.ts'

const WINDOW_MS = 15 * MINUTE_MS
/** Failed logins within a window. */
const MOST_OF_ACCOUNT = 10
const MOST_OF_ADDRESS = 50

/** A verification takes 19 MB and a core for some 20 ms; one core is left to everything else. */
const verifiedAtOnce = () => Math.min(4, Math.max(1, availableParallelism() - 1))
const MOST_WAITING = 200

/** Why nobody was logged in: the password, a limit with the moment it ends, or more logins than can be verified now. */
export type LoginRefusal = 'wrong' | 'busy' | { untilMs: number }

export interface Login {
  username: string
  password: string
  address: string
}

/** What failed logins of an address are counted by: an IPv6 network of 64 bits is one customer's. */
const customerOf = (address: string) =>
  isIP(address) === 6
    ? `${ipaddr.IPv6.parse(address.split('%', 1)[0]!)
        .parts.slice(0, 4)
        .map((group) => group.toString(16))
        .join(':')}::/64`
    : address

/**
 * Logs users in by their passwords. Each attempt is counted before it is verified, and taken back when it succeeds, so that attempts at
 * the same time pass no limit. Whether there is such a user, or one who is disabled, shows neither in the answer nor in the time that it
 * takes.
 */
export function createLogins(users: UserStore, windows: RateWindows, now: () => number) {
  const inTurn = createSemaphore(verifiedAtOnce(), MOST_WAITING)

  const count = (key: string, weight = 1) => windows.hit(key, WINDOW_MS, now(), weight)

  const verified = async ({ username, password }: Login): Promise<User | undefined> => {
    const user = await users.byUsername(username)
    const isRight = await inTurn(() => isPasswordOf(user?.passwordHash, password))
    return isRight && !user?.disabled ? user : undefined
  }

  return async (login: Login): Promise<User | LoginRefusal> => {
    const keys = { address: `login:address:${customerOf(login.address)}`, account: `login:account:${login.username.toLowerCase()}` }
    const takeBack = async (...taken: string[]) => void (await Promise.all(taken.map((key) => count(key, -1))))
    const ofAddress = await count(keys.address)
    if (ofAddress.count > MOST_OF_ADDRESS) return { untilMs: ofAddress.resetAtMs }
    const ofAccount = await count(keys.account)
    if (ofAccount.count > MOST_OF_ACCOUNT) return { untilMs: ofAccount.resetAtMs }
    try {
      const user = await verified(login)
      if (!user) return 'wrong'
      await takeBack(keys.address, keys.account)
      return user
    } catch (error) {
      await takeBack(keys.address, keys.account)
      if (error instanceof TooManyWaiting) return 'busy'
      throw error
    }
  }
}
export type Logins = ReturnType<typeof createLogins>
