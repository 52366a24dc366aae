import { momentOf } from '../../lib/ids.ts'
import { lengthOf } from '../../lib/queue.ts'
import { type Begun, frontOf, KINDS, type Lane, type WorkKind } from '../lanes/lane.ts'
import type { Item } from './item.ts'

/** The deliveries that this process has in memory. */
export interface Backlog {
  inFlight: number
  waiting: Record<WorkKind, number>
  /** When the oldest of them was due, replays not counted: a first attempt when its event was accepted. Undefined when there is none. */
  oldestDueMs: number | undefined
}

const dueMsOf = ({ delivery }: Item) => delivery.dueMs ?? momentOf(delivery.sequence)

/** Looks at the front of each lane, where its oldest delivery is, and not at what waits behind. */
export function backlogOf(lanes: Iterable<Lane<Item>>, putOff: Iterable<Begun<Item>>): Backlog {
  const waiting = { live: 0, retry: 0, replay: 0 }
  let inFlight = 0
  let oldestDueMs: number | undefined

  const see = ([kind, item]: Begun<Item>) => {
    if (kind === 'replay') return
    oldestDueMs = Math.min(oldestDueMs ?? Number.POSITIVE_INFINITY, dueMsOf(item))
  }

  for (const lane of lanes) {
    inFlight += lane.running.length
    for (const kind of KINDS) waiting[kind] += lengthOf(lane.queues[kind])
    frontOf(lane).forEach(see)
  }
  for (const entry of putOff) {
    waiting[entry[0]] += 1
    see(entry)
  }
  return { inFlight, waiting, oldestDueMs }
}
