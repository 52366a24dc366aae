import { createDeliveryCounts } from './delivery-counts.ts'
import { createEventLoopDelay } from './event-loop.ts'
import { createRequestCounts } from './request-counts.ts'
import { createStreamCounts } from './stream-counts.ts'

/**
 * Everything that is counted while Postern runs. The hot path only adds to numbers in memory. The delay of the event loop is measured from
 * `eventLoop.begin` to `eventLoop.stop`.
 */
export const createMetrics = () => ({
  requests: createRequestCounts(),
  deliveries: createDeliveryCounts(),
  streams: createStreamCounts(),
  eventLoop: createEventLoopDelay(),
})

export type Metrics = ReturnType<typeof createMetrics>
