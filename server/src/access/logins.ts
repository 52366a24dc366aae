import { availableParallelism } from 'node:os'
import { createSemaphore, TooManyWaiting } from '../lib/mutex.ts'
import { isPasswordOf } from '../lib/password.ts'
import { HOUR_MS } from '../lib/time.ts'
import type { RateWindows } from '../storage/rate-windows.ts'
import type { SignInAddresses } from '../storage/sign-in-addresses.ts'
import type { User, UserStore } from '../storage/users.ts'
import type { FailureLog } from './failure-log.ts'
import { beginLoginAttempt } from './login-limits.ts'
import { customerOf } from './networks.ts'

/** How long an address is known from which a user signed in. */
const KNOWN_MS = 90 * 24 * HOUR_MS

/** A verification takes 19 MB and a core for some 20 ms; one core is left to everything else. */
const verifiedAtOnce = () => Math.min(4, Math.max(1, availableParallelism() - 1))
const MOST_WAITING = 200

/** No user has this id. */
const NOBODY = ''

/** Why nobody was logged in: the password, a limit with the moment it ends, or more logins than can be verified now. */
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
  now: () => number
}

/**
 * Logs users in by their passwords, within the limits of `login-limits.ts`. Whether there is such a user shows neither in the answer nor in
 * the time that it takes.
 */
export function createLogins({ users, signInAddresses, windows, log, now }: LoginOptions) {
  const inTurn = createSemaphore(verifiedAtOnce(), MOST_WAITING)

  const isKnown = async ({ username, address }: Login) => {
    const user = await users.byUsername(username)
    return signInAddresses.isKnown(user?.id ?? NOBODY, customerOf(address), now() - KNOWN_MS)
  }

  const verified = async ({ username, password }: Login): Promise<User | undefined> => {
    const user = await users.byUsername(username)
    const isRight = await inTurn(() => isPasswordOf(user?.passwordHash, password))
    return isRight ? user : undefined
  }

  const judge = async (login: Login): Promise<User | LoginRefusal> => {
    const attempt = beginLoginAttempt(windows, now(), login.username, login.address)
    const untilMs = await attempt.refusedUntil(() => isKnown(login))
    if (untilMs !== undefined) return { untilMs }
    try {
      const user = await verified(login)
      if (!user) return 'wrong'
      await attempt.takeBack()
      await signInAddresses.remember(user.id, customerOf(login.address), now())
      return user
    } catch (error) {
      await attempt.takeBack()
      if (error instanceof TooManyWaiting) return 'busy'
      throw error
    }
  }

  return async (login: Login): Promise<User | LoginRefusal> => {
    const result = await judge(login)
    if (result === 'wrong' || (typeof result === 'object' && 'untilMs' in result)) log.record('password', login.address)
    return result
  }
}
export type Logins = ReturnType<typeof createLogins>
