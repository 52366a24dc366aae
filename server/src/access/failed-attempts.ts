import { because, coded, Problem } from '../api/declare/problem.ts'
import { iso } from '../api/declare/words.ts'
import { leastRecentlyUsed } from '../lib/cache.ts'
import { sha256Hex } from '../lib/crypto.ts'
import { HOUR_MS, MINUTE_MS } from '../lib/time.ts'
import type { FailedAttempts as FailureCount } from '../storage/audit-log.ts'
import { CLOCK_SKEW_MS, type RateWindows, type Window } from '../storage/rate-windows.ts'
import type { FailureLog } from './failure-log.ts'
import { clientNetworkOf } from './networks.ts'
import { limitHeaders, retryAfter } from './rate-limits.ts'

const WINDOW_MS = 15 * MINUTE_MS

/** All keys that an address tries together may fail so many times as often as one of them. */
const KEYS_OF_ADDRESS = 10

/** How long an app that proved its secret is not refused for what others do at its address. */
const PROVEN_MS = 24 * HOUR_MS

/** Addresses and apps that a process remembers. */
const MAX_REMEMBERED = 10_000

type Kind = Exclude<FailureCount['kind'], 'password'>

/** Credentials that were sent. */
export interface Attempt {
  kind: Kind
  /** The client's address. */
  address: string
  /** The consumer key, or OAuth 2.0 client id, of the app that it claims to be. */
  key?: string
}

/** Limits wrong credentials by the address that they come from and, where an app is named, by both. */
export interface FailedAttempts {
  /** Throws while there were too many, unless the app proved its secret from this address. */
  assertOpen(attempt: Attempt): void
  /** Counts wrong credentials. Answers the problem, or 429 when there were too many. */
  refusal(attempt: Attempt, problem: Problem): Promise<Problem>
  /** The credentials were right. */
  succeeded(attempt: Attempt): void
  clear(): void
}

const limitNames: Record<Kind, string> = {
  app_secret: 'failedAppSecrets',
  client_secret: 'failedClientSecrets',
  signature: 'failedSignatures',
  operator_token: 'failedOperatorTokens',
}

interface Exceeded {
  most: number
  window: Window
}

/** §7: requesting bearer tokens too often is 403 with code 99. */
function tooMany(kind: Kind, { most, window }: Exceeded, nowMs: number): Problem {
  const headers = { ...limitHeaders(most, window), ...retryAfter(window.resetAtMs, nowMs) }
  const problem = kind === 'app_secret' ? coded(99, headers) : new Problem('too-many-requests', {}, { headers })
  return because(problem, `There were too many wrong credentials: more than ${most} in 15 minutes.`, () => [
    `They are judged again from ${iso(window.resetAtMs)} on. POST /operator/clock can move the clock there.`,
  ])
}

export interface FailedAttemptsOptions {
  /** By name; a kind without a limit is only counted. */
  limits: Record<string, number>
  windows: RateWindows
  log: FailureLog
  now: () => number
}

/**
 * Processes share the counts. Each remembers for itself which of them are exceeded, so that a flood costs no statements, and which apps
 * proved their secrets from where.
 */
export function createFailedAttempts({ limits, windows, log, now }: FailedAttemptsOptions): FailedAttempts {
  const exceeded = leastRecentlyUsed<Exceeded>(MAX_REMEMBERED)
  const provenUntilMs = leastRecentlyUsed<number>(MAX_REMEMBERED)

  /** The address first: once it is refused, no further keys are counted. */
  const countsOf = ({ kind, address, key }: Attempt) => {
    const most = limits[limitNames[kind]]
    if (most === undefined) return []
    const ofAddress = `failed:${kind}:${clientNetworkOf(address)}`
    if (key === undefined) return [{ key: ofAddress, most }]
    return [
      { key: ofAddress, most: most * KEYS_OF_ADDRESS },
      { key: `${ofAddress}:${sha256Hex(key)}`, most },
    ]
  }

  /** A window that ends too late began before the clock was set back. */
  const isOpen = ({ resetAtMs }: Window, nowMs: number) => resetAtMs > nowMs && resetAtMs <= nowMs + WINDOW_MS + CLOCK_SKEW_MS

  const exceededBy = (attempt: Attempt): Exceeded | undefined => {
    if (exceeded.size === 0) return undefined
    const found = countsOf(attempt).map(({ key }) => exceeded.get(key))
    return found.find((each) => each !== undefined && isOpen(each.window, now()))
  }

  const count = async (attempt: Attempt): Promise<Exceeded | undefined> => {
    for (const { key, most } of countsOf(attempt)) {
      const window = await windows.hit(key, WINDOW_MS, now())
      if (window.count <= most) continue
      exceeded.set(key, { most, window })
      return { most, window }
    }
    return undefined
  }

  const proofOf = ({ kind, address, key }: Attempt) => `${kind} ${clientNetworkOf(address)} ${key}`

  return {
    assertOpen(attempt) {
      const over = exceededBy(attempt)
      if (!over || (provenUntilMs.get(proofOf(attempt)) ?? 0) > now()) return
      log.record(attempt.kind, attempt.address)
      throw tooMany(attempt.kind, over, now())
    },
    async refusal(attempt, problem) {
      log.record(attempt.kind, attempt.address)
      const over = exceededBy(attempt) ?? (await count(attempt))
      return over ? tooMany(attempt.kind, over, now()) : problem
    },
    succeeded: (attempt) => void provenUntilMs.set(proofOf(attempt), now() + PROVEN_MS),
    clear() {
      exceeded.clear()
      provenUntilMs.clear()
    },
  }
}
