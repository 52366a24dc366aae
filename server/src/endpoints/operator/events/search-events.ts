import { operator } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { id, integer, iso, listOf, object, optional, text, timestamp } from '../../../api/declare/words.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { GiveWay } from '../../../lib/fair-turns.ts'
import { momentOf, publicId, sequenceAt, sequenceOf } from '../../../lib/ids.ts'
import type { ContentSlice, EventLog } from '../../../storage/event-log.ts'
import { windowOf, windowTime } from '../time-window.ts'
import { bytesInJson, type FoundText, findInContent } from './find-in-content.ts'

/** A call looks for so long, and answers so many. */
const LONGEST_MS = 100
const MOST_FOUND = 50
const SLICE_EVENTS = 500
const MAX_TEXT = 200

type Found = FoundText & { event: ContentSlice['found'][number] }

interface Search {
  wanted: string
  from: number
  before: number
}

/** Looks backwards through the log, slice by slice, until time is over or enough is found. `last` is where it stopped, null at the end. */
async function search({ wanted, from, before }: Search, eventLog: EventLog, clock: Clock, giveWay: GiveWay) {
  const until = clock.monotonic() + LONGEST_MS
  const bytes = bytesInJson(wanted)
  const found: Found[] = []
  let below = before
  do {
    const slice = await eventLog.search({ bytes, from, before: below, looks: SLICE_EVENTS, limit: MOST_FOUND - found.length })
    for (const event of slice.found) {
      const where = findInContent(event.content, wanted)
      if (where) found.push({ event, ...where })
      await giveWay()
    }
    if (slice.last === null) return { found, last: null }
    below = slice.last
    await giveWay()
  } while (found.length < MOST_FOUND && clock.monotonic() < until)
  return { found, last: below }
}

interface Services {
  eventLog: EventLog
  clock: Clock
}

export const searchEvents = endpoint({
  name: 'searchEvents',
  route: 'GET /operator/events',
  section: '§6',
  summary: 'Find events that carry a text, newest first.',
  description: `\`text\` is found as it is, capitals and all, in the names and values of \`payload\` and \`includes\`; no character has a meaning of its own. Events accepted from \`from\` (inclusive) to \`to\` (exclusive). A call looks through the log for about ${LONGEST_MS} ms and answers at most ${MOST_FOUND} events: \`meta.looked_until\` says how far back it came. To go on, send \`meta.next_before\` as \`before\`.`,
  auth: operator,
  params: {
    text: text({ max: MAX_TEXT, example: 'Hello' }),
    from: windowTime('When the oldest event was accepted, inclusive.'),
    to: windowTime('When the newest event was accepted, exclusive.'),
    before: optional(id({ description: '`meta.next_before` of the previous call.' })),
  },
  example: { text: 'Hello', from: '2026-03-01T12:00:00Z', to: '2026-03-01T13:00:00Z' },
  answer: object({
    data: listOf(
      object({
        event_uuid: text(),
        event_type: text(),
        user_id: text({ description: 'The user whom it is about.' }),
        accepted_at: timestamp(),
        path: text({ description: 'The first place with the text.', example: 'payload.message.text' }),
        excerpt: text({ min: 0, description: 'The text with what stands around it there.' }),
      }),
    ),
    meta: object({
      result_count: integer({ min: 0 }),
      looked_until: timestamp({ description: 'Every event of the window that was accepted later has been looked at.' }),
      next_before: optional(id({ description: 'There may be more: send this as `before` to look further back.' })),
    }),
  }),
  async handle({ params, giveWay }, { eventLog, clock }: Services) {
    const { fromMs, toMs } = windowOf(params.from, params.to)
    const place = params.before === undefined ? undefined : sequenceOf(params.before)
    const before = Math.min(place ?? Number.MAX_SAFE_INTEGER, sequenceAt(toMs))
    const { found, last } = await search({ wanted: params.text, from: sequenceAt(fromMs), before }, eventLog, clock, giveWay)
    return {
      data: found.map(({ event, path, excerpt }) => ({
        event_uuid: event.eventUuid,
        event_type: event.eventType,
        user_id: event.userId,
        accepted_at: iso(event.acceptedAtMs),
        path,
        excerpt,
      })),
      meta: {
        result_count: found.length,
        looked_until: iso(last === null ? fromMs : momentOf(last)),
        ...(last !== null && { next_before: publicId(last) }),
      },
    }
  },
})
