import { operator } from '../../access/operator.ts'
import { EndlessAnswer } from '../../api/declare/endless-answer.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { headerOf } from '../../api/declare/raw-request.ts'
import { boolean, integer, iso, listOf, object, optional, timestamp } from '../../api/declare/words.ts'
import { MOST_FEEDS, type OperatorFeed } from '../../delivery/operator-feed/feed.ts'
import { updateSchema } from '../../delivery/operator-feed/updates.ts'
import { Unavailable } from '../../storage/unavailable.ts'
import type { ServerFacts } from './get-server.ts'

interface Services {
  feed: OperatorFeed
  server: ServerFacts
  /** How many processes share the database. */
  processCount: () => Promise<number>
  now: () => number
}

export const openFeed = endpoint({
  name: 'openFeed',
  route: 'GET /operator/feed',
  section: '§6',
  summary: 'Follow calls, events, attempts and challenges as they happen.',
  description: [
    'Server-sent events. `hello` says which process answers (`worker`) and how many share the database (`processes`). A feed tells what all of them do, unless `covers_all` is false: then the process that answers has just lost its database session, and `resync` follows when it is back. `updates` has what happened, at most ten times a second and 200 updates each time; `skipped` counts those beyond. Updates have ids and states; what they are about is read from the other endpoints. Calls are told in development alone, each by the process that has answered it.',
    'The `id` of a message is the position. A client that connects again with `Last-Event-ID` gets what it has missed. `resync` says that some of that is gone, that the client read too slowly or that the data were replaced: read the lists again.',
    `A process serves ${MOST_FEEDS} feeds; more are answered with 503.`,
  ].join('\n\n'),
  auth: operator,
  mediaType: 'text/event-stream',
  params: {},
  answer: object({
    updates: optional(listOf(updateSchema)),
    skipped: optional(integer({ min: 1 })),
    worker: optional(integer({ min: 0 })),
    processes: optional(integer({ min: 1 })),
    covers_all: optional(boolean()),
    now: optional(timestamp()),
  }),
  async handle({ request }, { feed, server: { worker }, processCount, now }: Services) {
    const processes = await processCount()
    const open = feed.open(headerOf(request, 'last-event-id'))
    if (!open) throw new Unavailable(`This process serves ${MOST_FEEDS} feeds, and takes no more until one ends.`)
    return new EndlessAnswer((outlet) => open(outlet, { worker, processes, covers_all: feed.coversAll(), now: iso(now()) }))
  },
})
