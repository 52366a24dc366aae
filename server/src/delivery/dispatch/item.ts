import { checkedTransitions } from '../../lib/transitions.ts'
import type { Attempt, Delivery } from '../../storage/event-log.ts'

/**
 * waiting  in its webhook's lane
 * sending  an attempt is being made
 * put off  the database did not answer: it goes back to its lane in a second
 * ended    acknowledged, or told to its replay
 * dropped  the log was wiped while it waited
 */
export type ItemState = 'waiting' | 'sending' | 'put off' | 'ended' | 'dropped'

const transition = checkedTransitions<ItemState>('a delivery', {
  waiting: ['sending', 'dropped'],
  sending: ['ended', 'put off'],
  'put off': ['waiting'],
  ended: [],
  dropped: [],
})

/** A delivery in memory. It ends once: it is never acknowledged twice. */
export interface Item {
  readonly delivery: Delivery
  state: ItemState
  /** Told of the attempt when this is a replay's, which acknowledges nothing. */
  readonly replay: ((attempt: Attempt) => void) | undefined
}

export const createItem = (delivery: Delivery, replay?: Item['replay']): Item => ({ delivery, state: 'waiting', replay })

export function changeState(item: Item, to: ItemState): void {
  item.state = transition(item.state, to)
}
