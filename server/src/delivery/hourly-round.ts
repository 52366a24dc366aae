import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import { MINUTE_MS } from '../lib/time.ts'
import type { Changes } from '../storage/changes.ts'
import { logUnlessUnavailable } from '../storage/unavailable.ts'
import type { Webhook, WebhookStore } from '../storage/webhooks.ts'
import type { Revalidate } from './revalidate.ts'

/**
 * How many challenges are under way at once: a sliding window, so that a callback that hangs takes one place and keeps nobody waiting. A
 * million webhooks are 278 an hour's second; one that hangs takes its place for 3 s, or 6 while the secret of its app is rotated. With 4 %
 * of them hanging that is 67 places, beside some 50 for those that answer within 0.2 s.
 */
const AT_ONCE = 256
/** Webhooks are claimed only when so many can begin at once, so that none is held without being challenged. */
const CLAIMED_AT_ONCE = 32
/** A process that took a challenge and died leaves it to the others after this. */
const LEASE_MS = MINUTE_MS
/** How often it is looked whether the wall clock was set, which asks nothing of the database. */
const LOOK_MS = MINUTE_MS
/** A wall clock that was set by less makes no difference to an hour. */
const STEP_MS = MINUTE_MS
/** What comes due within this is claimed together. */
const GATHERING_MS = 50

export interface HourlyRound {
  start(): Promise<void>
  stop(): Promise<void>
}

/** Challenges each valid webhook every hour. What is due is in the database, so a restart forgets nothing. */
export function createHourlyRound(
  webhooks: WebhookStore,
  changes: Changes,
  revalidate: Revalidate,
  clock: Clock,
  logger: Logger,
): HourlyRound {
  const underWay = new Map<string, Promise<void>>()
  let timer: Timer | undefined
  /** How far the wall clock is ahead of elapsed time; at the start dates may be from before a step. */
  let shiftMs = Number.NaN
  let dueMs: number | undefined
  let stopped = false
  let round: Promise<void> | undefined
  let hasEnded: (() => void) | undefined

  const challenge = (id: string) =>
    revalidate(id, 'byItself')
      .then(() => {})
      .catch((error) => logUnlessUnavailable(logger, error, 'an hourly challenge could not be recorded', { webhook_id: id }))
      .finally(() => {
        underWay.delete(id)
        hasEnded?.()
      })

  /** One whose lease has ended while it is challenged here still is not challenged a second time. */
  const begin = ({ id }: Webhook) => {
    if (!underWay.has(id)) underWay.set(id, challenge(id))
  }

  const room = async () => {
    while (underWay.size > AT_ONCE - CLAIMED_AT_ONCE) await new Promise<void>((resolve) => (hasEnded = resolve))
  }

  const wasSet = () => !(Math.abs(clock.now() - clock.elapsed() - shiftMs) < STEP_MS)

  const bringIntoHour = async () => {
    const nowMs = clock.now()
    await webhooks.bringIntoHour(nowMs)
    shiftMs = nowMs - clock.elapsed()
  }

  const challengeDue = async () => {
    if (wasSet()) await bringIntoHour()
    for (;;) {
      await room()
      if (stopped) return
      const due = await webhooks.claimDue(clock.now(), clock.now() + LEASE_MS, CLAIMED_AT_ONCE)
      due.forEach(begin)
      if (due.length < CLAIMED_AT_ONCE) return
    }
  }

  const arm = async () => {
    if (stopped) return
    dueMs = await webhooks.nextDueMs()
    waitForDue()
  }

  const waitForDue = () => {
    timer?.cancel()
    if (stopped || dueMs === undefined) return
    timer = clock.after(Math.min(LOOK_MS, Math.max(GATHERING_MS, dueMs - clock.now())), look)
  }

  const look = () => {
    if (wasSet() || dueMs! <= clock.now()) beginRound()
    else waitForDue()
  }

  const failed = (error: unknown) => {
    if (stopped) return
    logUnlessUnavailable(logger, error, 'the hourly round failed')
    timer = clock.after(MINUTE_MS, beginRound)
  }

  function beginRound() {
    round ??= challengeDue()
      .then(arm)
      .catch(failed)
      .finally(() => (round = undefined))
  }

  changes.listen((change) => {
    if ((change.kind === 'webhook' || change.kind === 'everything') && !round) void arm().catch(failed)
  })

  return {
    async start() {
      await bringIntoHour()
      await arm()
    },
    async stop() {
      stopped = true
      timer?.cancel()
      await round
      await Promise.all(underWay.values())
    },
  }
}
