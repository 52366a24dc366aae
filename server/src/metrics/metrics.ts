import { createDeliveryCounts } from './delivery-counts.ts'
import { createRequestCounts } from './request-counts.ts'

/** Everything that is counted while Postern runs. The hot path only adds to numbers in memory. */
export const createMetrics = () => ({ requests: createRequestCounts(), deliveries: createDeliveryCounts() })

export type Metrics = ReturnType<typeof createMetrics>
