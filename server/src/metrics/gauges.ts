import { type Family, gauge } from './family.ts'

/** What is looked at when the metrics are read. What cannot be looked at is undefined, and left out. */
export interface Gauges {
  inFlight: number
  queued: Readonly<Record<string, number>>
  queueAgeMs: number | undefined
  retriesDue: number | undefined
  /** Retries that are due within the next hour. */
  retriesPlanned: number | undefined
  /** In the database. */
  webhooks: { valid: number; invalid: number } | undefined
}

export const gaugeFamilies = ({ inFlight, queued, queueAgeMs, retriesDue, webhooks }: Gauges): Family[] => [
  gauge('postern_deliveries_in_flight', 'Attempts in flight in this process.', inFlight),
  {
    type: 'gauge',
    name: 'postern_deliveries_queued',
    help: 'Deliveries that wait in the memory of this process, by kind.',
    samples: Object.entries(queued).map(([kind, value]) => ({ labels: { kind }, value })),
  },
  gauge(
    'postern_queue_age_seconds',
    'How long the oldest delivery that is due has been waiting; 0 when none is.',
    queueAgeMs === undefined ? undefined : queueAgeMs / 1000,
  ),
  gauge('postern_retries_due', 'Retries that are due and not acknowledged. Those in the event log are counted up to 10,000.', retriesDue),
  {
    type: 'gauge',
    name: 'postern_webhooks',
    help: 'Webhooks in the database, by whether they are valid. An invalid one receives nothing.',
    samples: webhooks
      ? [
          { labels: { valid: 'true' }, value: webhooks.valid },
          { labels: { valid: 'false' }, value: webhooks.invalid },
        ]
      : [],
  },
]
