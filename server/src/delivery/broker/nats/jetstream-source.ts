import type { Logger } from 'pino'
import { type Clock, endOfTurn } from '../../../lib/clock.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import type { EventSource, SourceMessage } from '../event-source.ts'
import { createBrokerOutage } from './broker-outage.ts'
import { createJetStreamPulls } from './jetstream-pulls.ts'
import type { NatsPlace } from './nats-place.ts'

/** Between two tries to use the broker. */
const RETRY_MS = SECOND_MS

/** What went wrong, without the error's cause: a socket's may hold what was sent. */
function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  return message || String(code ?? error)
}

/** Pulls one batch after the other, and hands over messages as they come. Whatever goes wrong is tried again. */
function createPulling(place: NatsPlace, clock: Clock, logger: Logger, arrived: (message: SourceMessage) => void) {
  const outage = createBrokerOutage(place, logger)
  const stopped = Promise.withResolvers<void>()
  let isStopped = false
  let pulling: Promise<void> | undefined

  const { run, connection } = createJetStreamPulls(place, clock, (message) => {
    outage.end()
    arrived(message)
  })

  const pullOnce = async () => {
    // After an outage only a pull shows that all is well.
    await run(() => outage.isAway() || outage.end())
    outage.end()
  }

  const lost = async (error: unknown) => {
    // The stream and its consumer may have changed.
    connection.distrust()
    if (isStopped) return
    outage.begin(reasonOf(error))
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = clock.after(RETRY_MS, resolve, { isUpkeep: true })
    await Promise.race([promise, stopped.promise])
    timer.cancel()
  }

  return {
    isConnected: outage.isConnected,
    backlog: connection.backlog,
    distrust: connection.distrust,
    /** Resolves with the end of the batch that is under way, or of another one. */
    pull() {
      pulling ??= pullOnce()
        .catch(lost)
        .finally(() => {
          pulling = undefined
        })
      return pulling
    },
    /** Resolves once no batch is under way. */
    ended: async () => pulling,
    stop() {
      isStopped = true
      stopped.resolve()
    },
    close: () => connection.close(outage.isAway()),
  }
}

/** Takes messages from a stream of JetStream by a durable pull consumer. */
export function createJetStreamSource(place: NatsPlace, clock: Clock, logger: Logger): EventSource {
  /** Pulled and not taken. */
  const pulled: SourceMessage[] = []
  let isStopped = false
  let isPulling = false
  let arrived = Promise.withResolvers<void>()
  const pulling = createPulling(place, clock, logger, (message) => {
    pulled.push(message)
    arrived.resolve()
  })

  /** Pulls no more, and answers what has been pulled. */
  const rest = async () => {
    isPulling = false
    await pulling.ended()
    // Until the next pull the stream may be deleted and made anew, and its sequences begin again.
    pulling.distrust()
    return pulled.splice(0)
  }

  return {
    async take() {
      isPulling = true
      while (pulled.length === 0 && !isStopped) {
        arrived = Promise.withResolvers()
        await Promise.race([arrived.promise, pulling.pull()])
      }
      await endOfTurn()
      if (isStopped) return []
      const taken = pulled.splice(0)
      // While these are published, the next ones come.
      if (isPulling) void pulling.pull()
      return taken
    },
    async giveBack(messages) {
      const besides = await rest()
      for (const message of [...messages, ...besides]) message.giveBack(0)
    },
    isConnected: pulling.isConnected,
    backlog: pulling.backlog,
    async stop() {
      isStopped = true
      pulling.stop()
      arrived.resolve()
      for (const message of await rest()) message.giveBack(0)
    },
    close: pulling.close,
  }
}
