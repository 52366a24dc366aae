import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { iso, nullable, object, timestamp } from '../../api/declare/words.ts'
import type { Hold } from '../../delivery/hold.ts'

export const releaseCopy = endpoint({
  name: 'releaseCopy',
  route: 'POST /operator/release',
  section: '§6',
  summary: 'Let a restored copy send.',
  description:
    'A database that was restored with `postern restore --as-copy` accepts events and sends nothing: no event, no challenge, no replay, and it fetches no feed. From this call on all its processes send, within a second or two, what waits and what comes. Release it only when the original sends nothing any more, because both have the same events and webhooks.',
  auth: operator,
  params: {},
  answer: object({ data: object({ was_held_since: nullable(timestamp({ description: 'Null if it was not held: nothing changed.' })) }) }),
  async handle(_, { hold }: { hold: Hold }) {
    const since = await hold.release()
    return { data: { was_held_since: since === undefined ? null : iso(Date.parse(since)) } }
  },
})
