import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import { MINUTE_MS } from '../lib/time.ts'
import { checkedTransitions } from '../lib/transitions.ts'
import type { Changes } from '../storage/changes.ts'
import { logUnlessUnavailable } from '../storage/unavailable.ts'
import type { Webhook, WebhookStore } from '../storage/webhooks.ts'
import type { Revalidate } from './revalidate.ts'

/**
 * How many challenges run at the same time: a sliding window, so that a callback that hangs takes one place and delays no others. A million
 * webhooks are 278 challenges a second; one that hangs takes its place for 3 s, or 6 s during a rotation of its app's secret. If 4 % of them
 * hang, they take 67 places, and those that answer within 0.2 s some 50.
 */
const MAX_RUNNING = 256
/** How many webhooks are claimed at once. There must be room for all, so that none is claimed without being challenged. */
const CLAIMED_AT_ONCE = 32
/** If a process dies, others challenge its claimed webhooks after this time. */
const LEASE_MS = MINUTE_MS
/** How often the wall clock is checked for a step. This needs no query. */
const CLOCK_CHECK_MS = MINUTE_MS
/** Smaller steps of the wall clock are ignored. */
const STEP_MS = MINUTE_MS
/** Challenges that become due within this time are claimed together. */
const BATCHING_MS = 50

export interface HourlyRound {
  start(): Promise<void>
  stop(): Promise<void>
}

/** The running challenges: at most one of each webhook. */
function createChallenges(revalidate: Revalidate, logger: Logger) {
  const running = new Map<string, Promise<void>>()
  let hasEnded: (() => void) | undefined

  const challenge = (id: string) =>
    revalidate(id, 'automatic')
      .then(() => {})
      .catch((error) => logUnlessUnavailable(logger, error, 'could not record an hourly challenge', { webhook_id: id }))
      .finally(() => {
        running.delete(id)
        hasEnded?.()
      })

  return {
    /** Does nothing if the webhook is still being challenged here, although its lease has ended. */
    begin({ id }: Webhook) {
      if (!running.has(id)) running.set(id, challenge(id))
    },
    /** Resolves when there is room for one claim. */
    async room() {
      while (running.size > MAX_RUNNING - CLAIMED_AT_ONCE) await new Promise<void>((resolve) => (hasEnded = resolve))
    },
    ended: async () => void (await Promise.all(running.values())),
  }
}

/** Keeps the due times of challenges within the coming hour after the wall clock was set back, which would postpone them. */
function createClockStepGuard(webhooks: WebhookStore, clock: Clock) {
  /** How far the wall clock is ahead of elapsed time. Unknown at the start: due times may be from before a step. */
  let shiftMs = Number.NaN
  return {
    wasSet: () => !(Math.abs(clock.now() - clock.elapsed() - shiftMs) < STEP_MS),
    async moveIntoHour() {
      const nowMs = clock.now()
      await webhooks.moveIntoHour(nowMs)
      shiftMs = nowMs - clock.elapsed()
    },
  }
}

/**
 * waiting   for the next due challenge, if there is one
 * claiming  due challenges are being claimed and started
 * failed    the database did not answer: retried in a minute, or as soon as a webhook changes
 */
type State = 'waiting' | 'claiming' | 'failed' | 'stopped'

const transition = checkedTransitions<State>('the hourly round', {
  waiting: ['claiming', 'failed', 'stopped'],
  claiming: ['waiting', 'failed', 'stopped'],
  failed: ['waiting', 'claiming', 'stopped'],
  stopped: [],
})

/** Challenges each valid webhook every hour. The due times are in the database, so they survive a restart. While it is held it challenges none. */
export function createHourlyRound(
  webhooks: WebhookStore,
  changes: Changes,
  revalidate: Revalidate,
  clock: Clock,
  logger: Logger,
  isHeld: () => boolean = () => false,
): HourlyRound {
  const challenges = createChallenges(revalidate, logger)
  const { wasSet, moveIntoHour } = createClockStepGuard(webhooks, clock)
  let state: State = 'waiting'
  let timer: Timer | undefined
  let round: Promise<void> = Promise.resolve()

  /** Ignored after the stop: a step that was running may still end. */
  const change = (to: State) => {
    if (state !== 'stopped' && state !== to) state = transition(state, to)
  }

  const isStopped = () => state === 'stopped'

  /** Returns true if there may be more due challenges. */
  const claimDue = async (): Promise<boolean> => {
    await challenges.room()
    if (isStopped()) return false
    const due = await webhooks.claimDue(clock.now(), clock.now() + LEASE_MS, CLAIMED_AT_ONCE)
    due.forEach(challenges.begin)
    return due.length === CLAIMED_AT_ONCE
  }

  const challengeDue = async () => {
    if (wasSet()) await moveIntoHour()
    while (await claimDue());
  }

  const waitFor = (dueMs: number | undefined) => {
    timer?.cancel()
    if (isStopped() || dueMs === undefined) return
    const check = () => (wasSet() || dueMs <= clock.now() ? beginRound() : waitFor(dueMs))
    timer = clock.after(Math.min(CLOCK_CHECK_MS, Math.max(BATCHING_MS, dueMs - clock.now())), check)
  }

  const arm = async () => {
    if (!isStopped()) waitFor(await webhooks.nextDueMs())
  }

  const failed = (error: unknown) => {
    if (isStopped()) return
    change('failed')
    timer?.cancel()
    logUnlessUnavailable(logger, error, 'the hourly round failed')
    timer = clock.after(MINUTE_MS, beginRound)
  }

  function beginRound() {
    if (isStopped() || state === 'claiming') return
    if (isHeld()) {
      timer?.cancel()
      timer = clock.after(MINUTE_MS, beginRound)
      return
    }
    change('claiming')
    round = challengeDue()
      .then(arm)
      .then(() => change('waiting'), failed)
  }

  changes.listen(({ kind }) => {
    const isOurs = kind === 'webhook' || kind === 'everything'
    // A round that has begun meanwhile sets its own timer.
    const armed = (error?: unknown) => {
      if (state === 'claiming') return
      if (error !== undefined) failed(error)
      else if (state === 'failed') change('waiting')
    }
    if (isOurs && state !== 'claiming') void arm().then(() => armed(), armed)
  })

  return {
    async start() {
      await moveIntoHour()
      await arm()
    },
    async stop() {
      change('stopped')
      timer?.cancel()
      await round
      await challenges.ended()
    },
  }
}
