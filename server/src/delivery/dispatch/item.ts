import { checkedTransitions } from '../../lib/transitions.ts'
import type { Attempt, Delivery } from '../../storage/event-log.ts'

/**
 * waiting    in its webhook's lane
 * sending    an attempt is being made
 * postponed  the database did not answer: it goes back to its lane in a second
 * ended      acknowledged, or reported to its replay
 * dropped    the log was replaced, or another process has taken it over, while it waited or was sent: what comes of it is ignored
 */
export type ItemState = 'waiting' | 'sending' | 'postponed' | 'ended' | 'dropped'

const transition = checkedTransitions<ItemState>('a delivery', {
  waiting: ['sending', 'dropped'],
  sending: ['ended', 'postponed', 'dropped'],
  postponed: ['waiting', 'dropped'],
  ended: [],
  dropped: [],
})

/** Who waits for the attempt of a replay. */
export interface Replaying {
  ended(attempt: Attempt): void
  /** No attempt was made, or what came of it is unknown. */
  failed(error: Error): void
}

/** A delivery in memory. It ends once, so it is never acknowledged twice. */
export interface Item {
  readonly delivery: Delivery
  state: ItemState
  /** Only of a replay, which acknowledges nothing. */
  readonly replay: Replaying | undefined
}

export const createItem = (delivery: Delivery, replay?: Item['replay']): Item => ({ delivery, state: 'waiting', replay })

/** Neither ended nor dropped. */
export const isOpen = ({ state }: Item): boolean => state !== 'ended' && state !== 'dropped'

export function changeState(item: Item, to: ItemState): void {
  item.state = transition(item.state, to)
}
