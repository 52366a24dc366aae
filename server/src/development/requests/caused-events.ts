import { AsyncLocalStorage } from 'node:async_hooks'
import type { RawAnswer, UnmatchedEvent } from '../../api/declare/raw-request.ts'
import type { Publisher } from '../../delivery/publish.ts'

/** Events of one call that are remembered. */
const MOST_EVENTS = 100
/** And of those that it would have caused. */
const MOST_UNMATCHED = 20

interface Run {
  isOver: boolean
  eventUuids: string[]
  unmatched: UnmatchedEvent[]
}

/** Tells which events a call of a client causes. */
export interface CausedEvents {
  /** The same publisher, which notes for whom it publishes. */
  watch(publisher: Publisher): Publisher
  /** Notes events that somebody's action would have caused if a subscription had matched. */
  noteUnmatched(events: readonly UnmatchedEvent[]): void
  /** Answers a call. The answer has the list of its events, which grows until they are durable. */
  answer(run: () => Promise<RawAnswer>): Promise<RawAnswer>
}

export function createCausedEvents(): CausedEvents {
  const runs = new AsyncLocalStorage<Run>()
  return {
    watch: ({ publish }) => ({
      async publish(events) {
        const run = runs.getStore()
        // A timer that a call has set may publish later what others did.
        const isOfCall = run !== undefined && !run.isOver
        const published = await publish(events)
        if (isOfCall) run.eventUuids.push(...published.slice(0, MOST_EVENTS - run.eventUuids.length).map(({ eventUuid }) => eventUuid))
        return published
      },
    }),
    noteUnmatched(events) {
      const run = runs.getStore()
      if (run && !run.isOver) run.unmatched.push(...events.slice(0, MOST_UNMATCHED - run.unmatched.length))
    },
    async answer(respond) {
      const run: Run = { isOver: false, eventUuids: [], unmatched: [] }
      const answer = await runs.run(run, respond)
      run.isOver = true
      return Object.assign(answer, { caused: run.eventUuids, unmatched: run.unmatched })
    },
  }
}
