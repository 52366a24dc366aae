import type { Logger } from 'pino'
import type { NatsPlace } from './nats-place.ts'

/** Whether the broker can be used. Each outage is told once, and its end. */
export function createBrokerOutage({ servers, stream, durable }: NatsPlace, logger: Logger) {
  const about = { servers, stream, consumer: durable }
  let isAway = false
  let isConnected = false
  return {
    isAway: () => isAway,
    isConnected: () => isConnected,
    end() {
      if (isConnected) return
      isConnected = true
      isAway = false
      logger.info(about, 'events are taken from the broker')
    },
    begin(reason: string) {
      isConnected = false
      if (isAway) return
      isAway = true
      logger.warn({ ...about, reason }, 'the broker cannot be used: it is tried again until it can')
    },
  }
}
