import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import type { Ids } from '../../lib/ids.ts'
import type { Changes } from '../../storage/changes.ts'
import type { EventLog } from '../../storage/event-log.ts'
import type { StreamConnections } from '../../storage/stream-connections.ts'
import type { SubscriptionStore } from '../../storage/subscriptions.ts'
import type { WorkLease } from '../../storage/work-lease.ts'
import type { MayReceive } from './catch-up.ts'
import type { DisconnectType } from './disconnects.ts'

/** Told of what happens, for metrics. */
export interface StreamCounts {
  connected(): void
  disconnected(type: DisconnectType | 'client'): void
  sent(events: number): void
}

export interface HubOptions {
  log: Pick<EventLog, 'readStream' | 'onStream' | 'watchStreams'>
  connections: StreamConnections
  subscriptions: Pick<SubscriptionStore, 'count'>
  changes: Changes
  lease: WorkLease
  ids: Pick<Ids, 'next'>
  clock: Clock
  logger: Logger
  counts: StreamCounts
  mayReceive: MayReceive
}
