import type { Family } from './family.ts'

/** Each begins at zero, so that `increase` sees the first of them. */
const reasons = [
  ...['client', 'OperationalDisconnect', 'ForceDisconnect', 'ClientApplicationStateDegraded', 'InvalidRules', 'SlowReader'],
  ...['UpstreamOperationalDisconnect', 'InternalError'],
]

/** Counts connections to streams, how they ended, and the events that were handed to them. */
export function createStreamCounts() {
  const ended = new Map<string, number>(reasons.map((reason) => [reason, 0]))
  let open = 0
  let events = 0
  return {
    connected() {
      open += 1
    },
    disconnected(reason: string) {
      open -= 1
      ended.set(reason, (ended.get(reason) ?? 0) + 1)
    },
    sent(count: number) {
      events += count
    },
    families: (): Family[] => [
      {
        type: 'gauge',
        name: 'postern_streams',
        help: 'Open connections to streams in this process.',
        samples: [{ labels: {}, value: open }],
      },
      {
        type: 'counter',
        name: 'postern_stream_disconnects_total',
        help: 'Connections to streams that ended, by the disconnect_type of their last line; client: the client left.',
        samples: [...ended].map(([reason, value]) => ({ labels: { reason }, value })),
      },
      {
        type: 'counter',
        name: 'postern_stream_events_total',
        help: 'Events that were handed to the streams of apps with a connection.',
        samples: [{ labels: {}, value: events }],
      },
    ],
  }
}
