import type { Dialect } from '../declare/dialect.ts'
import type { TSchema } from '../declare/words.ts'
import { respelled } from './describe-word.ts'
import { EVENTS_GROUP } from './groups.ts'

/** A type of events that callbacks receive. */
export interface DescribedEvent {
  name: string
  summary: string
  description: string
  /** The JSON that is sent. */
  body: TSchema
  /** As the dialect spells it. */
  example: unknown
}

const SIGNATURE = {
  in: 'header',
  required: true,
  description: '`sha256=` and the base64 of the HMAC-SHA256 of the raw body, with the consumer secret of the app as the key (§4.2).',
  schema: { type: 'string', pattern: '^sha256=[A-Za-z0-9+/]{43}=$' },
}

const capitalised = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`

/** `dm.indicate_typing` → `onDmIndicateTyping`. */
const operationIdOf = (name: string) => `on${name.split(/[._]/).map(capitalised).join('')}`

/** The signed request by which a callback receives an event (§4.2), for the `webhooks` of the OpenAPI description. */
export const webhook = ({ name, summary, description, body, example }: DescribedEvent, dialect: Dialect) => ({
  post: {
    operationId: operationIdOf(name),
    summary: summary.replaceAll('`', ''),
    description,
    tags: [EVENTS_GROUP],
    parameters: [{ name: dialect.out('x-service-webhooks-signature'), ...SIGNATURE }],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: respelled(body, dialect), example } },
    },
    responses: {
      '2XX': { description: 'The event is acknowledged.' },
      default: { description: 'Anything else, or no answer in time: the delivery is retried.' },
    },
  },
})
