import type { Publisher } from '../../../server/src/delivery/publish.ts'
import { MINUTE_MS, SECOND_MS } from '../../../server/src/lib/time.ts'
import { isUnavailable } from '../../../server/src/storage/unavailable.ts'
import { payload } from '../fixtures.ts'
import type { Arrivals } from './arrivals.ts'
import type { HandMovedClock } from './hand-moved-clock.ts'

/** A producer that was refused publishes again after this time. */
const PUBLISH_AGAIN_MS = MINUTE_MS

interface ProducerOptions {
  publisher: Publisher
  arrivals: Arrivals
  clock: HandMovedClock
  batch: number
  eventsPerSecond: number
  /** Called with an error that is no refusal. */
  failed(error: unknown): void
}

/** Publishes events in batches. Those of a batch that is refused are published one by one, and again until they are accepted. */
export function createProducer({ publisher, arrivals, clock, batch, eventsPerSecond, failed }: ProducerOptions) {
  const refused = new Set<string>()
  let refusedCalls = 0
  let mostKept = 0

  const eventOf = (eventUuid: string) => {
    const { eventType, userId } = arrivals.eventOf(eventUuid)
    return { eventUuid, eventType, userId, payload }
  }

  /** False if the call was refused. */
  const publish = async (eventUuids: readonly string[]) => {
    try {
      await publisher.publish(eventUuids.map(eventOf))
    } catch (error) {
      if (!isUnavailable(error)) throw error
      refusedCalls += 1
      return false
    }
    for (const eventUuid of eventUuids) arrivals.accepted(eventUuid, clock.now())
    return true
  }

  const publishAgain = async (eventUuid: string) => {
    if (await publish([eventUuid])) return void refused.delete(eventUuid)
    refused.add(eventUuid)
    mostKept = Math.max(mostKept, refused.size)
    clock.after(PUBLISH_AGAIN_MS, () => void publishAgain(eventUuid).catch(failed))
  }

  const publishBatch = async () => {
    const eventUuids = Array.from({ length: batch }, arrivals.drawn)
    if (!(await publish(eventUuids))) await Promise.all(eventUuids.map(publishAgain))
  }

  return {
    /** Publishes until a date. */
    start(untilMs: number) {
      const everyMs = (batch / eventsPerSecond) * SECOND_MS
      const next = () => {
        if (clock.elapsed() + everyMs <= untilMs) clock.after(everyMs, next)
        publishBatch().catch(failed)
      }
      clock.after(everyMs, next)
    },
    isIdle: () => refused.size === 0,
    figures: () => ({ refusedCalls, mostKeptByProducer: mostKept }),
  }
}
