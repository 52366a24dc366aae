import type { Clock } from '../lib/clock.ts'
import { sequenceAt } from '../lib/ids.ts'
import type { EndedState, EventLog, Reopening } from '../storage/event-log.ts'
import type { Dispatcher } from './dispatcher.ts'

/** How many deliveries are sent again with one call. */
export const MAX_RESENT = 1000

const everyEndedState: readonly EndedState[] = ['given_up', 'not_sent', 'delivered']

/** Deliveries of a webhook that ended in one of some states, of events that were accepted in [fromMs, toMs). */
export interface ResendFilter {
  webhookId: string
  states: readonly EndedState[]
  fromMs: number
  toMs: number
  /** Only of events of this type. */
  eventType?: string
  /** The sequence number of the event to go on after. */
  after?: number
  /** At most so many, instead of `MAX_RESENT`. */
  limit?: number
  /** Counts what would be sent again, and sends nothing. */
  isDryRun?: boolean
}

export interface Resent {
  count: number
  /** The sequence number of the event to go on after; undefined when none is left. */
  next: number | undefined
}

export interface Resender {
  /** Sends one delivery again, unless it is open. Undefined when there is no such delivery. */
  one(webhookId: string, eventUuid: string): Promise<Resent | undefined>
  /** Sends what matches again, the oldest first, at most `MAX_RESENT`. */
  matching(filter: ResendFilter): Promise<Resent>
}

/**
 * Sends deliveries again that have ended: they become due in the log, and go on as retries from where their retry plan had come. One that
 * is open already stays as it is.
 */
export function createResender(log: Pick<EventLog, 'report' | 'reopen'>, { takeDue }: Pick<Dispatcher, 'takeDue'>, clock: Clock): Resender {
  const reopen = async (reopening: Omit<Reopening, 'dueMs'>): Promise<Resent> => {
    const { count, next } = await log.reopen({ ...reopening, dueMs: clock.now() })
    if (count > 0 && !reopening.isDryRun) void takeDue()
    return { count, next: next ?? undefined }
  }

  return {
    async one(webhookId, eventUuid) {
      const [found] = await log.report({ webhookId, eventUuid, limit: 1 })
      if (!found) return undefined
      const { count } = await reopen({
        webhookId,
        after: found.sequence - 1,
        before: found.sequence + 1,
        states: everyEndedState,
        limit: MAX_RESENT,
      })
      return { count, next: undefined }
    },
    matching: ({ fromMs, toMs, after = 0, limit = MAX_RESENT, ...filter }) =>
      reopen({ ...filter, after: Math.max(after, sequenceAt(fromMs) - 1), before: sequenceAt(toMs), limit }),
  }
}
