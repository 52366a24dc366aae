import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { id, integer, iso, object, type Static, text, timestamp } from '../../api/declare/words.ts'
import { MOST_PARKED, MOST_PARKED_BYTES, type ParkedMessage, type ParkedMessageStore } from '../../storage/parked-messages.ts'
import { operatorPage } from './operator-page.ts'

interface Services {
  parkedMessages: ParkedMessageStore
}

/** Of each message in a list. */
const LISTED_CHARACTERS = 1_000

const parkedSchema = object({
  message_id: id(),
  stream: text({ description: 'The stream at the broker.' }),
  sequence: integer({ min: 0, description: 'Its place there.' }),
  subject: text({ min: 0 }),
  reason: text({ min: 0, description: 'Why it is not published, as `POST /operator/events` would answer.' }),
  bytes: integer({ min: 0 }),
  content: text({ min: 0, description: 'What it holds, as text.' }),
  received_at: timestamp({ description: 'When the broker received it.' }),
  parked_at: timestamp(),
})

const viewOf = (message: ParkedMessage): Static<typeof parkedSchema> => ({
  message_id: message.id,
  stream: message.stream,
  sequence: message.sequence,
  subject: message.subject,
  reason: message.reason,
  bytes: message.bytes,
  content: message.content,
  received_at: iso(message.receivedAtMs),
  parked_at: iso(message.parkedAtMs),
})

const notFound = (messageId: string) =>
  new Problem('not-found', { detail: `There is no parked message ${messageId}: GET /operator/parked_messages lists them.` })

const page = operatorPage('before', id, parkedSchema)

export const listParkedMessages = endpoint({
  name: 'listParkedMessages',
  route: 'GET /operator/parked_messages',
  section: '§6',
  summary: 'List the messages of the broker that can never be published, the last parked first.',
  description: `Of a broker that events are taken from (\`POSTERN_EVENTS_FROM\`). The first ${LISTED_CHARACTERS} characters of each are told. There are at most ${MOST_PARKED}: while there are, further ones stay at the broker.`,
  auth: operator,
  params: page.params,
  answer: page.answer,
  handle: ({ params: { before, max_results } }, { parkedMessages }: Services) =>
    page.read(max_results, {
      rows: (limit) => parkedMessages.list(before ?? null, limit, LISTED_CHARACTERS),
      view: viewOf,
      placeOf: (message) => message.id,
    }),
})

export const getParkedMessage = endpoint({
  name: 'getParkedMessage',
  route: 'GET /operator/parked_messages/:message_id',
  section: '§6',
  summary: 'Get a parked message, with what it holds.',
  description: `Of a longer one the first ${MOST_PARKED_BYTES} bytes.`,
  auth: operator,
  params: { message_id: id() },
  answer: object({ data: parkedSchema }),
  problems: ['not-found'],
  async handle({ params: { message_id } }, { parkedMessages }: Services) {
    const message = await parkedMessages.byId(message_id)
    if (!message) throw notFound(message_id)
    return { data: viewOf(message) }
  },
})

export const discardParkedMessage = endpoint({
  name: 'discardParkedMessage',
  route: 'DELETE /operator/parked_messages/:message_id',
  section: '§6',
  summary: 'Discard a parked message.',
  description: 'Nothing of it is published. To publish what it meant, send a corrected message, or call `POST /operator/events`.',
  auth: operator,
  params: { message_id: id() },
  answer: object({ data: object({ message_id: id() }) }),
  problems: ['not-found'],
  async handle({ params: { message_id } }, { parkedMessages }: Services) {
    if (!(await parkedMessages.discard(message_id))) throw notFound(message_id)
    return { data: { message_id } }
  },
})
