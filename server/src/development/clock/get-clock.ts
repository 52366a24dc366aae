import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { defaulting, id, integer, iso, listOf, object, oneOf, optional, text, timestamp } from '../../api/declare/words.ts'
import type { Clock } from '../../lib/clock.ts'
import { type DueThing, dueKinds } from './due-things.ts'

const MOST_DUE = 100

const dueSchema = object({
  at: timestamp(),
  kind: oneOf(dueKinds),
  event_uuid: optional(text()),
  event_type: optional(text()),
  webhook_id: optional(id()),
  app_id: optional(id()),
})

const dueView = ({ atMs, kind, eventUuid, eventType, webhookId, appId }: DueThing) => ({
  at: iso(atMs),
  kind,
  ...(eventUuid !== undefined && { event_uuid: eventUuid }),
  ...(eventType !== undefined && { event_type: eventType }),
  ...(webhookId !== undefined && { webhook_id: webhookId }),
  ...(appId !== undefined && { app_id: appId }),
})

interface Services {
  clock: Pick<Clock, 'now' | 'offset'>
  due: (nowMs: number, limit: number) => Promise<DueThing[]>
}

export const getClock = endpoint({
  name: 'getClock',
  route: 'GET /operator/clock',
  section: '§6',
  summary: 'Get the time of the clock, how far it was moved, and what is due next.',
  description:
    'Development only. Retries and challenges with what they are about, the next piece of each kind of work in the background, and when former secrets end; soonest first. Of more than 100 retries or webhooks it has the next one and some.',
  auth: operator,
  params: {
    max_results: defaulting(integer({ min: 1, max: MOST_DUE, description: 'How many due things are answered.' }), 20),
  },
  answer: object({
    data: object({
      now: timestamp(),
      offset_ms: integer({ description: 'How far it is ahead of the real time; negative where it is behind.' }),
      due: listOf(dueSchema),
    }),
  }),
  async handle({ params: { max_results } }, { clock, due }: Services) {
    const nowMs = clock.now()
    return { data: { now: iso(nowMs), offset_ms: Math.round(clock.offset()), due: (await due(nowMs, max_results)).map(dueView) } }
  },
})
