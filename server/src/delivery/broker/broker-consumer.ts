import { logUnlessUnavailable } from '../../storage/unavailable.ts'
import type { Hold } from '../hold.ts'
import type { BrokerState } from './broker-state.ts'
import type { EventSource } from './event-source.ts'
import { createPause } from './pause.ts'
import { createSettleMessages, NothingAccepted, type SettleOptions } from './settle-messages.ts'

export interface BrokerConsumerOptions extends SettleOptions {
  source: EventSource
  /** Rejects while no event can be accepted, because a database is away or full. */
  probe: () => Promise<unknown>
  hold: Pick<Hold, 'since' | 'onRelease'>
}

export interface BrokerConsumer {
  start(): void
  state(): BrokerState
  /** Takes nothing more, and finishes or gives back what was taken. */
  stop(): Promise<void>
}

/** Takes messages of a broker, one batch after the other, and settles them. While no event can be accepted, nothing is taken. */
export function createBrokerConsumer(options: BrokerConsumerOptions): BrokerConsumer {
  const { source, counts, logger } = options
  const pausing = createPause(options)
  const settle = createSettleMessages(options, pausing.canAccept)
  let isStopped = false
  let running: Promise<void> = Promise.resolve()

  const consume = async () => {
    if (pausing.isNeeded()) await pausing.pause()
    while (!isStopped) {
      const left = new Set(await source.take())
      try {
        await settle(left)
        pausing.succeeded()
      } catch (error) {
        if (!(error instanceof NothingAccepted)) logUnlessUnavailable(logger, error, 'could not settle messages of the broker')
        for (const _ of left) counts.settled('given_back')
        await source.giveBack([...left])
        await pausing.pause()
      }
    }
  }

  return {
    start() {
      running = consume()
    },
    state: () => (pausing.isPaused() ? 'paused' : source.isConnected() ? 'consuming' : 'away'),
    async stop() {
      isStopped = true
      pausing.stop()
      await source.stop()
      await running
      await source.close()
    },
  }
}
