import { createSharedRead } from '../lib/shared-read.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import type { Family } from '../metrics/family.ts'
import { does } from '../settings/roles.ts'
import type { Delivery } from './delivery.ts'
import type { Base } from './parts.ts'

/** The parked messages are counted at most so often. */
const PARKED_KEPT_MS = 10_000

/** What takes events from a broker; undefined where this process takes none. Its modules are loaded then alone. */
export async function assembleBroker(base: Base, { publisher }: Delivery) {
  const { settings, storage, eventLog, dialect, ids, hold, clock, logger } = base
  const { eventsFrom, roles } = settings
  if (eventsFrom === undefined || !does(roles, 'broker')) return undefined
  const { createBrokerConsumer } = await import('../delivery/broker/broker-consumer.ts')
  const { createJetStreamSource } = await import('../delivery/broker/nats/jetstream-source.ts')
  const { createMessageReader } = await import('../endpoints/operator/read-message.ts')
  const { createBrokerCounts } = await import('../metrics/broker-counts.ts')
  const counts = createBrokerCounts(() => clock.elapsed())
  const source = createJetStreamSource(eventsFrom, clock, logger)
  const consumer = createBrokerConsumer({
    source,
    read: createMessageReader(dialect),
    publisher,
    probe: () => Promise.all([storage.ping(), eventLog.probe()]),
    parked: storage.parkedMessages,
    ids,
    hold,
    counts,
    clock,
    logger,
  })
  const countParked = createSharedRead(clock, PARKED_KEPT_MS, () => storage.parkedMessages.count())
  return {
    start: consumer.start,
    stop: consumer.stop,
    state: consumer.state,
    async families(): Promise<Family[]> {
      const [backlog, parked] = await Promise.all([withTimeout(clock, source.backlog()), withTimeout(clock, countParked())])
      return counts.families({ isConnected: source.isConnected(), pending: backlog?.pending, unsettled: backlog?.unsettled, parked })
    },
  }
}
export type Broker = Awaited<ReturnType<typeof assembleBroker>>
