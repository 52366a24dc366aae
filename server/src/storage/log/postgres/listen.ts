import type { Clock } from '../../../lib/clock.ts'
import type { Outage } from '../../outage.ts'
import { openReconnectingClient, type ReconnectingClient } from '../../postgres/reconnecting-client.ts'

/** The channel on which a process says that it has handed deliveries back. The message is its worker number. */
export const CHANNEL = 'postern_log'

interface ListenOptions {
  url: string
  clock: Clock
  outage: Outage
  /** Its own messages are not heard. */
  worker: number
  work(): void
}

/** Hears when another process has handed deliveries back; after a loss of the connection messages may have been missed, so `work` is called. */
export const listenForWork = ({ url, clock, outage, worker, work }: ListenOptions): Promise<ReconnectingClient> =>
  openReconnectingClient({
    ...{ url, name: 'postern-log', clock, outage },
    prepare: (client) => client.query(`listen ${CHANNEL}`),
    restored: work,
    notified: (payload) => payload !== String(worker) && work(),
  })
