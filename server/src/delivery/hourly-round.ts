import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import { MINUTE_MS } from '../lib/time.ts'
import { checkedTransitions } from '../lib/transitions.ts'
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

/** The challenges that are under way, each webhook's once. */
function createChallenges(revalidate: Revalidate, logger: Logger) {
  const underWay = new Map<string, Promise<void>>()
  let hasEnded: (() => void) | undefined

  const challenge = (id: string) =>
    revalidate(id, 'byItself')
      .then(() => {})
      .catch((error) => logUnlessUnavailable(logger, error, 'could not record an hourly challenge', { webhook_id: id }))
      .finally(() => {
        underWay.delete(id)
        hasEnded?.()
      })

  return {
    /** One whose lease has ended while it is challenged here still is not challenged a second time. */
    begin({ id }: Webhook) {
      if (!underWay.has(id)) underWay.set(id, challenge(id))
    },
    /** Resolves when a claim has room to begin. */
    async room() {
      while (underWay.size > AT_ONCE - CLAIMED_AT_ONCE) await new Promise<void>((resolve) => (hasEnded = resolve))
    },
    ended: async () => void (await Promise.all(underWay.values())),
  }
}

/** Keeps the dates of challenges within the coming hour when the wall clock is set: a clock that went back would put them off. */
function createHourKeeper(webhooks: WebhookStore, clock: Clock) {
  /** How far the wall clock is ahead of elapsed time; at the start dates may be from before a step. */
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
 * waiting   for the next challenge that is due, or with nothing to wait for
 * claiming  what is due is being claimed and begun
 * failed    the database did not answer: it is asked again in a minute, or as soon as a webhook changes
 */
type State = 'waiting' | 'claiming' | 'failed' | 'stopped'

const transition = checkedTransitions<State>('the hourly round', {
  waiting: ['claiming', 'failed', 'stopped'],
  claiming: ['waiting', 'failed', 'stopped'],
  failed: ['waiting', 'claiming', 'stopped'],
  stopped: [],
})

/** Challenges each valid webhook every hour. What is due is in the database, so a restart forgets nothing. */
export function createHourlyRound(
  webhooks: WebhookStore,
  changes: Changes,
  revalidate: Revalidate,
  clock: Clock,
  logger: Logger,
): HourlyRound {
  const challenges = createChallenges(revalidate, logger)
  const { wasSet, moveIntoHour } = createHourKeeper(webhooks, clock)
  let state: State = 'waiting'
  let timer: Timer | undefined
  let round: Promise<void> = Promise.resolve()

  /** After the end nothing changes any more; whoever was under way still comes here. */
  const change = (to: State) => {
    if (state !== 'stopped' && state !== to) state = transition(state, to)
  }

  const isStopped = () => state === 'stopped'

  /** True when there may be more that is due. */
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
    const look = () => (wasSet() || dueMs <= clock.now() ? beginRound() : waitFor(dueMs))
    timer = clock.after(Math.min(LOOK_MS, Math.max(GATHERING_MS, dueMs - clock.now())), look)
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
    change('claiming')
    round = challengeDue()
      .then(arm)
      .then(() => change('waiting'), failed)
  }

  changes.listen(({ kind }) => {
    const isOurs = kind === 'webhook' || kind === 'everything'
    // A round that has begun meanwhile arms itself.
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
