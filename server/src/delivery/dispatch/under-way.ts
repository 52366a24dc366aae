import { itemsOf } from '../../lib/queue.ts'
import { type Begun, KINDS, type Lane, type WorkKind } from '../lanes/lane.ts'
import type { ReadBack } from '../read-back.ts'
import type { Item } from './item.ts'

/** A delivery in memory whose attempt has not ended. */
export interface OpenDelivery {
  webhookId: string
  eventUuid: string
  eventType: string
  kind: WorkKind
  /** Whether it was sent, and is not answered yet. */
  isSent: boolean
}

/** The deliveries that this process works on. */
export interface UnderWay {
  deliveries: OpenDelivery[]
  /** Whether more wait in the event log, because their webhooks have fallen behind. */
  isBehind: boolean
  /** Whether attempts cannot be committed, so that nothing is sent. */
  isPaused: boolean
  /** Why a delivery to this webhook has to wait for many others; undefined if it does not. */
  whyBehind(webhookId: string): string | undefined
}

/** With more before it, a delivery is not waited for. */
const MANY = 16

const openDelivery = ([kind, { delivery, state }]: Begun<Item>): OpenDelivery => {
  const { webhookId, eventUuid, eventType } = delivery
  return { webhookId, eventUuid, eventType, kind, isSent: state === 'sending' }
}

interface Parts {
  lanes: { all(): Iterable<Lane<Item>>; waiting(webhookId: string, kind: WorkKind): number; isPaused(): boolean }
  postponed: { waiting: Iterable<Begun<Item>> }
  readBack: Pick<ReadBack, 'isParked' | 'isAnyParked'>
}

/** Lists what is in flight and what waits in memory. What waits in the log, because its webhook is parked, is behind those. */
export function underWayOf({ lanes, postponed, readBack }: Parts): UnderWay {
  const inLanes = [...lanes.all()].flatMap(({ running, queues }): Begun<Item>[] => [
    ...running,
    ...KINDS.flatMap((kind) => itemsOf(queues[kind]).map((item): Begun<Item> => [kind, item])),
  ])
  const isPaused = lanes.isPaused()
  return {
    deliveries: [...inLanes, ...postponed.waiting].map(openDelivery),
    isBehind: readBack.isAnyParked(),
    isPaused,
    whyBehind(webhookId) {
      if (isPaused) return 'sending is paused, because the event log cannot record attempts'
      if (readBack.isParked(webhookId)) return 'its webhook has fallen behind: earlier deliveries of it wait in the event log'
      const before = lanes.waiting(webhookId, 'live')
      return before > MANY ? `its webhook has fallen behind: ${before} deliveries of it wait` : undefined
    },
  }
}
