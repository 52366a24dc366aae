import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { invalidRequest } from '../../api/declare/problem.ts'
import {
  anything,
  boolean,
  defaulting,
  duration,
  id,
  integer,
  iso,
  listOf,
  nullable,
  object,
  optional,
  text,
  timestamp,
} from '../../api/declare/words.ts'
import { canonicalEventType } from '../../delivery/events/event-types.ts'
import { eventTypeName } from '../../endpoints/events/event-type-name.ts'
import { type Clock, createClock } from '../../lib/clock.ts'
import { parseDuration, SECOND_MS } from '../../lib/time.ts'
import { REPLAY_STATUS } from '../faults/fault.ts'
import { readBody } from './answer-callback.ts'
import { type ExplainServices, explainSilence } from './explain-silence.ts'
import { findInbox, inboxId } from './inbox-endpoints.ts'
import type { Inbox, Inboxes } from './inboxes.ts'
import { type EventQuery, type KeptEvent, MAX_EVENTS } from './kept-events.ts'

const MAX_WAIT_MS = 60 * SECOND_MS

interface Services extends ExplainServices {
  inboxes: Inboxes
}

const eventSchema = object({
  sequence: integer({ min: 1 }),
  received_at: timestamp(),
  event_uuid: nullable(text()),
  event_type: nullable(text({ description: 'Of an event without `data` its only member, such as `replay_job_status`.' })),
  user_id: nullable(id({ description: 'That of the filter that matched.' })),
  verified: boolean({ description: 'Whether the signature is right. An event with a wrong one is answered with 401, as by any receiver.' }),
  duplicate: boolean({ description: 'Whether the same `event_uuid` came before.' }),
  signature: nullable(text({ description: 'The signature header.' })),
  event: anything({ description: 'The body: JSON, or a text where it is not JSON.' }),
})

const eventView = ({ sequence, atMs, eventUuid, eventType, userId, verified, duplicate, signature, body }: KeptEvent) => ({
  sequence,
  received_at: iso(atMs),
  event_uuid: eventUuid,
  event_type: eventType,
  user_id: userId,
  verified,
  duplicate,
  signature,
  event: readBody(body) ?? body.toString('latin1'),
})

function waitMsOf(wait: string): number {
  const ms = parseDuration(wait) ?? 0
  if (ms <= MAX_WAIT_MS) return ms
  throw invalidRequest([{ message: `$.wait: must be at most ${MAX_WAIT_MS / SECOND_MS}s`, parameters: { wait: [wait] } }])
}

/** Waits until there are events, for at most so long. */
async function waitFor({ events }: Inbox, query: EventQuery, waitMs: number, clock: Pick<Clock, 'elapsed'>): Promise<KeptEvent[]> {
  const untilMs = clock.elapsed() + waitMs
  for (;;) {
    const found = events.list(query)
    const leftMs = untilMs - clock.elapsed()
    if (found.length > 0 || leftMs <= 0 || events.isClosed()) return found
    await events.changed(leftMs)
  }
}

export const listInboxEvents = endpoint({
  name: 'listInboxEvents',
  route: 'GET /operator/inboxes/:inbox_id/events',
  section: '§6',
  summary: 'List the events that an inbox received, oldest first; wait for the next.',
  description: `Development only. With \`wait\` the answer comes with the first event, or after that time, which is real time: moving the clock does not end it. Where nothing came, \`meta.explanation\` says what was attempted instead. An inbox keeps its last ${MAX_EVENTS} events.`,
  auth: operator,
  params: {
    inbox_id: inboxId(),
    event_type: optional(eventTypeName({ example: 'dm.received', description: 'An event type, or `replay_job_status`.' }, [REPLAY_STATUS])),
    after: defaulting(integer({ min: 0, description: '`meta.next` of the previous call: only later events.' }), 0),
    wait: defaulting(duration({ example: '1ms', description: 'How long to wait for an event, at most 60 s.' }), '0s'),
    max_results: defaulting(integer({ min: 1, max: MAX_EVENTS }), 100),
  },
  answer: object({
    data: listOf(eventSchema),
    meta: object({
      next: integer({ min: 0, description: 'Send this as `after` to get the events that come next.' }),
      explanation: optional(listOf(text(), { description: 'Where there are no events: what was attempted instead.' })),
    }),
  }),
  problems: ['not-found'],
  async handle({ params: { inbox_id, event_type, after, wait, max_results } }, { inboxes, ...services }: Services) {
    const inbox = findInbox(inboxes, inbox_id)
    const eventType = event_type && canonicalEventType(event_type)
    const found = await waitFor(inbox, { after, eventType, limit: max_results }, waitMsOf(wait), createClock())
    if (found.length > 0) return { data: found.map(eventView), meta: { next: found.at(-1)!.sequence } }
    return { data: [], meta: { next: after, explanation: await explainSilence({ inbox, after, eventType }, services) } }
  },
})
