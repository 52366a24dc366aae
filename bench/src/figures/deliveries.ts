import { measureDeliveries } from '../delivery/measure-deliveries.ts'
import type { Figure } from '../figure.ts'

export const deliveries: readonly Figure[] = [
  {
    name: 'deliveries-1000',
    limit:
      'A backlog of 1 KB events, accepted durably while nothing is sent, drains through the real parts (log, dispatcher, sender) until its last attempt is committed: accepting is a figure of its own. The limit is a loop over undici `dispatch` that signs and sends the same bytes to the same receiver, with as many in flight. Processor time includes PostgreSQL. Log level warn.',
    measure: (run) => measureDeliveries({ webhooks: 1000, inFlight: 64, leastRatio: { sqlite: 0.7, postgres: 0.5 } }, run),
  },
  {
    name: 'deliveries-1',
    limit:
      'The same with all events for one webhook. Of its backlog 256 deliveries are in memory; the webhook is parked, and the rest is read back from the log.',
    measure: (run) => measureDeliveries({ webhooks: 1, inFlight: 4, leastRatio: { sqlite: 0.6, postgres: 0.5 } }, run),
  },
  {
    name: 'deliveries-tls',
    limit:
      'The same over TLS 1.3, for 250 webhooks at as many addresses, each with a certificate of one authority that both sides trust. Both check it when they open a connection, and keep the connection.',
    measure: (run) => measureDeliveries({ webhooks: 250, inFlight: 64, secure: true, leastRatio: { sqlite: 0.75, postgres: 0.5 } }, run),
  },
]
