import { availableParallelism } from 'node:os'
import { createSemaphore, TooManyWaiting } from '../lib/mutex.ts'
import { isPasswordOf } from '../lib/password.ts'
import { HOUR_MS } from '../lib/time.ts'
import type { RateWindows } from '../storage/rate-windows.ts'
import type { SignInAddresses } from '../storage/sign-in-addresses.ts'
import type { User, UserStore } from '../storage/users.ts'
import type { FailureLog } from './failure-log.ts'
import { beginLoginAttempt } from './login-limits.ts'
import { clientNetworkOf } from './networks.ts'
import type { ReportRefused } from './refused-credentials.ts'

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
 * is disabled.
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
