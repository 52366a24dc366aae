import type { Logger } from 'pino'
import { dialects } from '../../server/src/api/declare/dialect.ts'
import { createDestinations } from '../../server/src/delivery/destinations.ts'
import { type AttemptListener, createDispatcher, type Dispatcher } from '../../server/src/delivery/dispatcher.ts'
import { createPublisher, type Publisher } from '../../server/src/delivery/publish.ts'
import type { SignedPost } from '../../server/src/delivery/signed-request.ts'
import { contentSpeller } from '../../server/src/endpoints/events/spell-content.ts'
import type { Clock } from '../../server/src/lib/clock.ts'
import { createMetrics } from '../../server/src/metrics/metrics.ts'
import type { EventLog } from '../../server/src/storage/event-log.ts'
import type { Storage } from '../../server/src/storage/storage.ts'

export interface SendingOptions {
  storage: Storage
  log: EventLog
  clock: Clock
  logger: Logger
  post: SignedPost
  retryPlanMs: readonly number[]
  /** Told of each attempt besides the metrics. */
  attempted?: AttemptListener
}

/** Joins what publishes and what sends, as `assemble/delivery.ts` and `assemble/sending.ts` do, without the HTTP server. */
export function assembleSending(options: SendingOptions): { publisher: Publisher; dispatcher: Dispatcher } {
  const { storage, log, clock, logger, post, retryPlanMs, attempted: also } = options
  const { accepted, attempted, committed } = createMetrics().deliveries
  log.onCommit(committed)
  const publisher = createPublisher({
    subscriptions: storage.subscriptions,
    log,
    respell: contentSpeller(dialects.spec),
    appending() {},
    accepted,
    countUsage: async () => {},
    usage: storage.usage,
    now: () => clock.now(),
  })
  const dispatcher = createDispatcher({
    log,
    clock,
    destinations: createDestinations({ ...storage, clock, logger }),
    consents: storage.consents,
    post,
    retryPlanMs,
    retryJitter: 'equal',
    logger,
    onGone() {},
    attempted: also
      ? (attempt, kind, isLast, about) => {
          attempted(attempt, kind, isLast)
          also(attempt, kind, isLast, about)
        }
      : attempted,
  })
  dispatcher.start()
  return { publisher, dispatcher }
}
