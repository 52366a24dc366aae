import type { Clock } from '../../lib/clock.ts'
import { AGAIN_MS } from '../due-retries.ts'
import type { Begun, WorkKind } from '../lanes/lane.ts'
import { changeState, type Item } from './item.ts'

/** Keeps items for which the database did not answer; each goes back to its lane in a second. */
export function createPutOff(clock: Clock, back: (webhookId: string, kind: WorkKind, item: Item) => void) {
  const waiting = new Set<Begun<Item>>()
  let isStopped = false
  return {
    putOff(webhookId: string, item: Item, kind: WorkKind) {
      changeState(item, 'put off')
      if (isStopped) return
      const entry: Begun<Item> = [kind, item]
      waiting.add(entry)
      clock.after(AGAIN_MS, () => {
        waiting.delete(entry)
        changeState(item, 'waiting')
        back(webhookId, kind, item)
      })
    },
    waiting: waiting as ReadonlySet<Begun<Item>>,
    stop() {
      isStopped = true
    },
  }
}
