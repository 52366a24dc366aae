import type { Logger } from 'pino'
import { type Activity, noActivity } from '../../lib/activity.ts'
import type { Clock, Timer } from '../../lib/clock.ts'
import { SECOND_MS } from '../../lib/time.ts'
import { checkedTransitions } from '../../lib/transitions.ts'
import type { Changes } from '../../storage/changes.ts'
import type { Claim, DueWork, WorkQueue } from '../../storage/due-work.ts'
import { asUnavailable, DeletedMeanwhile, isUnavailable, logUnlessUnavailable } from '../../storage/unavailable.ts'

const RETRY_DELAY_MS = SECOND_MS

export interface DueWorkerOptions {
  queue: WorkQueue
  work: DueWork
  changes: Changes
  clock: Clock
  logger: Logger
  /** Told of each piece. */
  activity?: Activity
  /** How long a claim holds: if this process dies, another one takes the work after this time. */
  claimMs: number
  /** How many pieces run at the same time. */
  atOnce: number
  /** Does a piece of work, and ends its claim. If it rejects, the work is due again when the claim ends; after an outage, a second later. */
  run(claim: Claim, isStopped: () => boolean): Promise<void>
}

/** What a piece of each queue is called where it is told what happened. */
const KINDS: Record<WorkQueue, string> = {
  product_sets: 'product_set',
  product_catalogs: 'product_catalog',
  scheduled_feeds: 'feed',
  image_checks: 'image_check',
  uploads: 'upload',
  scheduled_posts: 'scheduled_post',
  outbox: 'outbox',
}

export interface DueWorker {
  start(): void
  /** Looks at the queue again: something was added to it without a word to all. */
  wake(): void
  /** Starts nothing more, and resolves once what is running has ended. */
  stop(): Promise<void>
}

/**
 * waiting  for the next due piece, if there is one, or for a change
 * taking   due pieces are being claimed and started
 * again    the same, and there was a change since: the queue is read once more
 */
type State = 'waiting' | 'taking' | 'again' | 'stopped'

const transition = checkedTransitions<State>('a queue of due work', {
  waiting: ['taking', 'stopped'],
  taking: ['waiting', 'again', 'stopped'],
  again: ['taking', 'stopped'],
  stopped: [],
})

/** Writes, and again each second while the database is away. Rejects if what it writes about was deleted, or when this process stops. */
export async function writeOnceBack(write: () => Promise<void>, clock: Clock, isStopped: () => boolean): Promise<void> {
  for (;;)
    try {
      return await write()
    } catch (error) {
      const cause = asUnavailable(error)
      if (!isUnavailable(cause) || cause instanceof DeletedMeanwhile || isStopped()) throw error
      await new Promise<void>((resolve) => void clock.after(RETRY_DELAY_MS, resolve))
    }
}

/** What met an outage, or a lock that was not had in time, has changed nothing, and is due again soon. */
async function runFailed(claim: Claim, error: unknown, { queue, work, clock, logger }: DueWorkerOptions) {
  logUnlessUnavailable(logger, error, 'due work failed', { queue, id: claim.id })
  if (isUnavailable(asUnavailable(error))) await work.renew(claim, clock.now() + RETRY_DELAY_MS).catch(() => {})
}

/** Never rejects. */
async function runPiece(claim: Claim, options: DueWorkerOptions, isStopped: () => boolean): Promise<void> {
  const { queue, activity = noActivity, run } = options
  const happened = (outcome: string) => activity.happened({ kind: KINDS[queue], id: claim.id, outcome })
  try {
    await activity.track(run(claim, isStopped))
    happened('done')
  } catch (error) {
    happened('failed')
    await runFailed(claim, error, options)
  }
}

/** Does the work of a queue when it is due. The queue is in the database, so work survives a restart, and one process claims each piece. */
export function createDueWorker(options: DueWorkerOptions): DueWorker {
  const { queue, work, changes, clock, logger, claimMs, atOnce } = options
  const running = new Map<string, Promise<void>>()
  let state: State = 'waiting'
  let timer: Timer | undefined
  let taking: Promise<void> = Promise.resolve()

  const isStopped = () => state === 'stopped'
  const change = (to: State) => {
    if (!isStopped() && state !== to) state = transition(state, to)
  }

  const begin = (claim: Claim) => {
    const done = runPiece(claim, options, isStopped).finally(() => {
      running.delete(claim.id)
      wake()
    })
    running.set(claim.id, done)
  }

  const waitUntil = (wake: (run: () => void) => Timer) => {
    timer?.cancel()
    timer = wake(() => {
      timer = undefined
      take()
    })
  }

  /** Whether there is room, and something is due. Otherwise it is taken when the next piece is due; what ends makes room, and wakes. */
  const isDue = async () => {
    const nextMs = running.size < atOnce && !isStopped() ? await work.nextDueMs([...running.keys()]) : undefined
    if (nextMs === undefined || isStopped()) return false
    if (nextMs <= clock.now()) return true
    waitUntil((ring) => clock.at(nextMs, ring))
    return false
  }

  /** Claims what is due while there is room. Nothing is due most of the time: that must not wait for writers, or hold them up. */
  const takeDue = async () => {
    timer?.cancel()
    while (await isDue()) {
      const claims = await work.claim(clock.now(), clock.now() + claimMs, atOnce - running.size, [...running.keys()])
      claims.forEach(begin)
      // Another process is claiming what is due.
      if (claims.length === 0) return waitUntil((ring) => clock.after(RETRY_DELAY_MS, ring))
    }
  }

  const failed = (error: unknown) => {
    logUnlessUnavailable(logger, error, 'could not take due work', { queue })
    if (!isStopped()) waitUntil((ring) => clock.after(RETRY_DELAY_MS, ring))
  }

  function take() {
    if (state !== 'waiting') return
    change('taking')
    taking = takeDue()
      .catch(failed)
      .then(() => {
        const isAgain = state === 'again'
        if (isAgain) change('taking')
        change('waiting')
        if (isAgain) take()
      })
  }

  function wake() {
    if (state === 'taking') change('again')
    else take()
  }

  return {
    start() {
      changes.listen((heard) => {
        const isOurs = heard.kind === 'due' ? heard.queue === queue : heard.kind === 'everything' || heard.kind === 'departure'
        if (isOurs && !isStopped()) wake()
      })
      take()
    },
    wake() {
      if (!isStopped()) wake()
    },
    async stop() {
      change('stopped')
      timer?.cancel()
      await taking
      await Promise.all(running.values())
    },
  }
}
