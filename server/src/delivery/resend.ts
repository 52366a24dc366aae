import type { Clock } from '../lib/clock.ts'
import { sequenceAt } from '../lib/ids.ts'
import type { EndedState, EventLog } from '../storage/event-log.ts'
import type { Dispatcher } from './dispatcher.ts'

/** How many deliveries are sent again with one call. */
export const MAX_RESENT = 1000

const everyEndedState: readonly EndedState[] = ['given_up', 'not_sent', 'delivered']

/** Deliveries of a webhook that ended in a state, of events that were accepted in [fromMs, toMs). */
export interface ResendFilter {
  webhookId: string
  state: EndedState
  fromMs: number
  toMs: number
  /** The sequence number of the event to go on after. */
  after?: number
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
  const reopen = async (webhookId: string, after: number, before: number, states: readonly EndedState[]): Promise<Resent> => {
    const { count, next } = await log.reopen({ webhookId, after, before, states, dueMs: clock.now(), limit: MAX_RESENT })
    if (count > 0) void takeDue()
    return { count, next: next ?? undefined }
  }

  return {
    async one(webhookId, eventUuid) {
      const [found] = await log.report({ webhookId, eventUuid, limit: 1 })
      if (!found) return undefined
      const { count } = await reopen(webhookId, found.sequence - 1, found.sequence + 1, everyEndedState)
      return { count, next: undefined }
    },
    matching: ({ webhookId, state, fromMs, toMs, after = 0 }) =>
      reopen(webhookId, Math.max(after, sequenceAt(fromMs) - 1), sequenceAt(toMs), [state]),
  }
}
