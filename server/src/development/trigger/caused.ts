import { AsyncLocalStorage } from 'node:async_hooks'
import type { Published, PublishedEvent, Publisher } from '../../delivery/publish.ts'

/** An event that an action caused, and what came of it. */
export interface CausedEvent {
  event: PublishedEvent
  accepted: Published
}

/** Tells what a piece of work publishes, whoever else publishes meanwhile. */
export interface Causes {
  /** The same publisher, which tells of its events. */
  watch(publisher: Publisher): Publisher
  /** Runs something, and resolves once all that it began to publish is durable, with those events in order. */
  during<T>(run: () => Promise<T>): Promise<{ result: T; caused: CausedEvent[] }>
}

/** The publishing that a piece of work has begun. */
interface Run {
  isOver: boolean
  publishing: Promise<CausedEvent[]>[]
}

export function createCauses(): Causes {
  const runs = new AsyncLocalStorage<Run>()
  return {
    watch: ({ publish }) => ({
      publish(events) {
        const published = publish(events)
        const run = runs.getStore()
        // A timer that the work has set may publish later what others did.
        if (run && !run.isOver)
          run.publishing.push(published.then((accepted) => events.map((event, index) => ({ event, accepted: accepted[index]! }))))
        return published
      },
    }),
    async during(work) {
      const run: Run = { isOver: false, publishing: [] }
      try {
        const result = await runs.run(run, work)
        // What could not be published stays in the outbox, and is published later.
        const settled = await Promise.allSettled(run.publishing)
        return { result, caused: settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])) }
      } finally {
        run.isOver = true
        for (const one of run.publishing) one.catch(() => {})
      }
    },
  }
}
