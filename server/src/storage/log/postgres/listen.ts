import type { Clock } from '../../../lib/clock.ts'
import type { Outage } from '../../outage.ts'
import { openReconnectingClient, type ReconnectingClient } from '../../postgres/reconnecting-client.ts'

/** The channel on which a process announces that it has released deliveries. The payload is its worker number. */
export const CHANNEL = 'postern_log'

interface ListenOptions {
  url: string
  clock: Clock
  outage: Outage
  /** Messages of this worker are ignored. */
  worker: number
  work(): void
}

/** Calls `work` when another process has released deliveries, and after a lost connection, when messages may have been missed. */
export const listenForWork = ({ url, clock, outage, worker, work }: ListenOptions): Promise<ReconnectingClient> =>
  openReconnectingClient({
    ...{ url, name: 'postern-log', clock, outage },
    prepare: (client) => client.query(`listen ${CHANNEL}`),
    restored: work,
    notified: (payload) => payload !== String(worker) && work(),
  })
