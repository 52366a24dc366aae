import { measureAccepts } from '../accepts/measure-accepts.ts'
import type { Figure } from '../figure.ts'

export const accepts: readonly Figure[] = [
  {
    name: 'accepts-1',
    limit:
      '`POST /operator/events`, each event 1 KB and matched with one of 100 webhooks that are invalid, so that nothing is sent. Two limits: Fastify that parses the same bytes, keeps nothing and answers as many; and the same rows written into the same database by prepared statements without HTTP, as many in one synced commit as are in flight. Producer and server share the cores. The processor time is that of the server, PostgreSQL included; its log level is info, one line a request, and its rate limits are off.',
    measure: (run) => measureAccepts({ eventsARequest: 1, inFlight: 32 }, run),
  },
  {
    name: 'accepts-100',
    limit: 'The same with 100 events in a request.',
    measure: (run) => measureAccepts({ eventsARequest: 100, inFlight: 8 }, run),
  },
]
