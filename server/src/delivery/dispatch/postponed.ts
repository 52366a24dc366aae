import type { Clock } from '../../lib/clock.ts'
import { RETRY_DELAY_MS } from '../due-retries.ts'
import type { Begun, WorkKind } from '../lanes/lane.ts'
import { changeState, type Item } from './item.ts'

/** Items for which the database did not answer. Each returns to its lane after a delay. */
export function createPostponed(clock: Clock, push: (webhookId: string, kind: WorkKind, item: Item) => void) {
  const waiting = new Set<Begun<Item>>()
  let isStopped = false
  return {
    postpone(webhookId: string, item: Item, kind: WorkKind) {
      changeState(item, 'postponed')
      if (isStopped) return
      const entry: Begun<Item> = [kind, item]
      waiting.add(entry)
      clock.after(RETRY_DELAY_MS, () => {
        if (!waiting.delete(entry)) return
        changeState(item, 'waiting')
        push(webhookId, kind, item)
      })
    },
    waiting: waiting as ReadonlySet<Begun<Item>>,
    /** Removes those of what was waiting and returns them. */
    clear(isCleared: (item: Item) => boolean): Item[] {
      const cleared = [...waiting].filter(([, item]) => isCleared(item))
      for (const entry of cleared) waiting.delete(entry)
      return cleared.map(([, item]) => item)
    },
    stop() {
      isStopped = true
    },
  }
}
