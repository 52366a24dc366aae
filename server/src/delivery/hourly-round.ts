import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import { MINUTE_MS } from '../lib/duration.ts'
import type { Changes } from '../storage/changes.ts'
import type { Webhook, WebhookStore } from '../storage/webhooks.ts'
import type { Revalidate } from './revalidate.ts'

/** How many challenges of the round are under way at once. */
const AT_ONCE = 32
/** A process that took a challenge and died leaves it to the others after this. */
const LEASE_MS = MINUTE_MS

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
  let timer: Timer | undefined
  let stopped = false
  let underWay: Promise<void> | undefined

  const challenge = ({ id }: Webhook) =>
    revalidate(id, 'byItself').catch((error) => logger.error({ err: error, webhook_id: id }, 'an hourly challenge could not be recorded'))

  const round = async () => {
    for (;;) {
      const due = await webhooks.claimDue(clock.now(), clock.now() + LEASE_MS, AT_ONCE)
      await Promise.all(due.map(challenge))
      if (stopped || due.length < AT_ONCE) return
    }
  }

  const arm = async () => {
    if (stopped) return
    const dueMs = await webhooks.nextDueMs()
    timer?.cancel()
    if (stopped || dueMs === undefined) return
    timer = clock.after(dueMs - clock.now(), begin)
  }

  const failed = (error: unknown) => {
    if (stopped) return
    logger.error({ err: error }, 'the hourly round failed')
    timer = clock.after(MINUTE_MS, begin)
  }

  function begin() {
    underWay ??= round()
      .then(arm)
      .catch(failed)
      .finally(() => (underWay = undefined))
  }

  changes.listen((change) => {
    if ((change.kind === 'webhook' || change.kind === 'everything') && !underWay) void arm().catch(failed)
  })

  return {
    start: arm,
    async stop() {
      stopped = true
      timer?.cancel()
      await underWay
    },
  }
}
