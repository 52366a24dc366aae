import type { Metrics } from '../../metrics/metrics.ts'

/**
 * Lets `sampleEnded` run before each count that the last hour keeps: what happens while the clock is moved is in the bucket of its time.
 * Production has a timer instead, because its clock is not moved.
 */
export function sampleFirst(metrics: Metrics, sampleEnded: () => void): Metrics {
  const { deliveries, requests } = metrics
  const after =
    <Parameters extends unknown[]>(count: (...parameters: Parameters) => void) =>
    (...parameters: Parameters) => {
      sampleEnded()
      count(...parameters)
    }
  return {
    ...metrics,
    deliveries: { ...deliveries, accepted: after(deliveries.accepted), attempted: after(deliveries.attempted) },
    requests: { ...requests, answered: after(requests.answered) },
  }
}
