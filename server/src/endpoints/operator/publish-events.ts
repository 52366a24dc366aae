import type { Logger } from 'pino'
import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { type ErrorDetail, invalidRequest } from '../../api/declare/problem.ts'
import { exactlyOne, mutuallyExclusive, requires } from '../../api/declare/rules.ts'
import { exactObject, id, integer, listOf, matching, object, oneOf, optional, type Static, text } from '../../api/declare/words.ts'
import { contentOf } from '../../delivery/envelope.ts'
import { directions } from '../../delivery/events/event-type.ts'
import { canonicalEventType } from '../../delivery/events/event-types.ts'
import type { Published, PublishedEvent, Publisher } from '../../delivery/publish.ts'
import type { GiveWay } from '../../lib/fair-turns.ts'
import { writeExactJson } from '../../lib/numbers.ts'
import { mapInSlices } from '../../lib/slices.ts'
import { eventTypeName } from '../events/event-type-name.ts'
import { eventWarnings, MOST_WARNINGS } from './event-warnings.ts'
import { type WhyNobodyServices, whyNotDelivered } from './events/why-not-delivered.ts'

const MAX_EVENTS = 1000
const MAX_EVENT_BYTES = 256 * 1024
const MAX_BODY_BYTES = 64 * 1024 * 1024
/** Of a body that is not read in slices: a thousand events with five hundred values each. */
const MOST_VALUES = 500_000

const members = {
  event_type: eventTypeName({ example: 'dm.received' }),
  user_id: id({ example: '101', description: 'The user the event is about: the recipient of `dm.received`, the sender of `dm.sent`.' }),
  payload: exactObject({ example: { direct_message_events: [] } }),
  direction: optional(oneOf(Object.keys(directions) as (keyof typeof directions)[])),
  text: optional(text({ min: 0, description: 'The text that keyword filters match.' })),
  includes: optional(exactObject()),
  event_uuid: optional(
    matching('^-?[0-9]{1,19}$', {
      description: 'Idempotency key: publishing the same `event_uuid` again changes nothing.',
      mustBe: 'a whole number of at most 19 digits',
    }),
  ),
}

const eventSchema = object(members)
type SentEvent = Static<typeof eventSchema>

const toPublished = (sent: SentEvent, content: Buffer): PublishedEvent => ({
  eventType: canonicalEventType(sent.event_type),
  userId: sent.user_id,
  payload: sent.payload,
  includes: sent.includes,
  text: sent.text,
  ...(sent.direction && { direction: directions[sent.direction] }),
  ...(sent.event_uuid !== undefined && { eventUuid: sent.event_uuid }),
  content,
})

/** What an event carries as it is stored, and the bytes of the whole event as JSON. */
function writeContent({ payload, includes, ...others }: SentEvent) {
  const content = contentOf(payload, includes)
  // A comma stands before it, and it ends two objects.
  return { content, bytes: Buffer.byteLength(writeExactJson(others)) + 1 + content.length - 2 }
}

/** Writes what the events carry. Throws `invalid-request` for those that are too large. */
async function writeContents(events: readonly SentEvent[], giveWay: GiveWay) {
  const written = await mapInSlices(events, writeContent, ({ bytes }) => bytes, giveWay)
  const mistakes = written.flatMap(({ bytes }, index): ErrorDetail[] => {
    if (bytes <= MAX_EVENT_BYTES) return []
    return [
      {
        message: `$.events.${index}: is ${bytes} bytes of JSON; at most ${MAX_EVENT_BYTES} are allowed`,
        parameters: { [`events.${index}`]: [] },
      },
    ]
  })
  if (mistakes.length > 0) throw invalidRequest(mistakes)
  return written
}

export type PublishParameters = Partial<SentEvent> & { events?: SentEvent[] | undefined }

/** The events that parameters of `publishEvents` name, and their sizes in bytes of JSON. Throws `invalid-request` for those that are too large. */
export async function eventsOf({ events, ...one }: PublishParameters, giveWay: GiveWay) {
  const sent = events ?? [one as SentEvent]
  const written = await writeContents(sent, giveWay)
  return { published: sent.map((event, index) => toPublished(event, written[index]!.content)), sizes: written.map(({ bytes }) => bytes) }
}

interface Services extends WhyNobodyServices {
  /** Says why an event reached no callback. */
  development: boolean
  publisher: Publisher
  /** Whether events are checked against what their types declare. */
  eventWarnings: boolean
  logger: Pick<Logger, 'info'>
}

const matchedSchema = object(
  { subscriptions: integer({ min: 0 }), deliveries: integer({ min: 0 }), reasons: listOf(text()) },
  { description: 'Of an event that reached no callback: why. In development alone, for the first 20 of them.' },
)

const sumOf = (published: readonly Published[], count: 'subscriptions' | 'deliveries') =>
  published.reduce((sum, one) => sum + one[count], 0)

const warningSchema = object({ event_uuid: text(), event_type: text(), path: text({ min: 0 }), message: text() })

export const publishEvents = endpoint({
  name: 'publishEvents',
  route: 'POST /operator/events',
  section: '§6',
  summary: 'Publish an event, or up to 1,000 of them.',
  description: `One event in the body, or \`{events: […]}\`; each at most ${MAX_EVENT_BYTES} bytes, a request at most ${MAX_BODY_BYTES} and ${MOST_VALUES} values. Atomic: all events are accepted or none. 202 means they are durable (fsync). Ids come back in the order sent. \`meta\` says how many subscriptions the events matched, and how many deliveries to webhooks they made. In development, or with \`POSTERN_EVENT_WARNINGS=on\`, \`warnings\` says where an event is not as its type declares (\`docs/events.md\`), up to ${MOST_WARNINGS} times. It is published all the same. Members that are not declared are never warned of.`,
  auth: operator,
  bodyLimitBytes: MAX_BODY_BYTES,
  mostValues: MOST_VALUES,
  slicedList: 'events',
  success: 202,
  isRepeatable: true,
  params: {
    event_type: optional(members.event_type),
    user_id: optional(members.user_id),
    payload: optional(members.payload),
    direction: members.direction,
    text: members.text,
    includes: members.includes,
    event_uuid: members.event_uuid,
    events: optional(listOf(eventSchema, { min: 1, max: MAX_EVENTS })),
  },
  rules: [
    exactlyOne('event_type', 'events'),
    requires('event_type', 'user_id'),
    requires('event_type', 'payload'),
    mutuallyExclusive('events', 'user_id'),
    mutuallyExclusive('events', 'payload'),
    mutuallyExclusive('events', 'event_uuid'),
  ],
  answer: object({
    data: listOf(object({ event_uuid: text(), matched: optional(matchedSchema) })),
    meta: object({ subscriptions: integer({ min: 0 }), deliveries: integer({ min: 0 }) }),
    warnings: optional(listOf(warningSchema)),
  }),
  async handle({ params, giveWay }, services: Services) {
    const { publisher, development, eventWarnings: isChecked, logger } = services
    const { published, sizes } = await eventsOf(params, giveWay)
    const accepted = await publisher.publish(published, giveWay)
    const whys = development ? await whyNotDelivered(published, accepted, services) : []
    const data = accepted.map(({ eventUuid }, index) => ({ event_uuid: eventUuid, ...(whys[index] && { matched: whys[index] }) }))
    const meta = { subscriptions: sumOf(accepted, 'subscriptions'), deliveries: sumOf(accepted, 'deliveries') }
    if (!isChecked) return { data, meta }
    const warnings = await eventWarnings(
      accepted.map(({ eventUuid }, index) => ({ ...published[index]!, eventUuid })),
      sizes,
      giveWay,
    )
    if (warnings.length === 0) return { data, meta }
    logger.info({ warnings: warnings.length, first: warnings[0] }, 'published events are not as their types declare')
    return { data, meta, warnings }
  },
})
