import { type Family, gauge } from './family.ts'

const outcomes = ['accepted', 'repeated', 'parked', 'given_back'] as const
export type MessageOutcome = (typeof outcomes)[number]

/** What is looked at when the metrics are read. What the broker or the database does not say in time is undefined, and left out. */
export interface BrokerGauges {
  isConnected: boolean
  pending: number | undefined
  unsettled: number | undefined
  parked: number | undefined
}

interface Counted extends Partial<BrokerGauges> {
  settled: Iterable<[MessageOutcome, number]>
  redelivered: number | undefined
  lagMs: number | undefined
}

const familiesOf = ({ isConnected, pending, unsettled, parked, settled, redelivered, lagMs }: Counted): Family[] => [
  gauge('postern_broker_connected', 'Whether the broker can be used: 1 or 0.', isConnected === undefined ? undefined : Number(isConnected)),
  {
    type: 'counter',
    name: 'postern_broker_messages_total',
    help: 'Messages of the broker that this process settled, by outcome; repeated: their events were in the log.',
    samples: [...settled].map(([outcome, value]) => ({ labels: { outcome }, value })),
  },
  {
    type: 'counter',
    name: 'postern_broker_redelivered_total',
    help: 'Messages that this process took and that had been delivered before.',
    samples: redelivered === undefined ? [] : [{ labels: {}, value: redelivered }],
  },
  gauge('postern_broker_pending', 'Messages in the stream that were never delivered.', pending),
  gauge('postern_broker_unsettled', 'Messages that were delivered to any process and are not settled.', unsettled),
  gauge(
    'postern_broker_lag_seconds',
    'How long the broker had had the message that was accepted last, or for how long none was accepted; 0 while none is pending.',
    lagMs === undefined ? undefined : lagMs / 1000,
  ),
  gauge('postern_broker_parked', 'Messages that can never be published, which operators have not discarded.', parked),
]

/** Those of a process that takes nothing from a broker. */
export const noBrokerFamilies: readonly Family[] = familiesOf({ settled: [], redelivered: undefined, lagMs: undefined })

/** Counts the messages that this process has taken from a broker, by what came of them. `elapsed` is a monotonic clock. */
export function createBrokerCounts(elapsed: () => number) {
  const settled = new Map<MessageOutcome, number>(outcomes.map((outcome) => [outcome, 0]))
  let redelivered = 0
  let lastMs = elapsed()
  let ageMs = 0
  return {
    taken(deliveries: number) {
      if (deliveries > 1) redelivered += 1
    },
    settled(outcome: MessageOutcome) {
      settled.set(outcome, settled.get(outcome)! + 1)
    },
    /** A message was accepted that the broker had for so long. */
    accepted(ms: number) {
      ageMs = Math.max(0, ms)
      lastMs = elapsed()
    },
    families(gauges: BrokerGauges): Family[] {
      const { pending } = gauges
      const behindMs = pending === 0 ? 0 : Math.max(ageMs, elapsed() - lastMs)
      return familiesOf({ ...gauges, settled, redelivered, lagMs: pending === undefined ? undefined : behindMs })
    },
  }
}
export type BrokerCounts = ReturnType<typeof createBrokerCounts>
