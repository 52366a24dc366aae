import { areas } from '../../api/areas.ts'
import type { Dialect } from '../../api/declare/dialect.ts'
import type { Endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import type { RawRequest } from '../../api/declare/raw-request.ts'
import { CONTENT_TYPES } from '../../api/read/body.ts'
import { compileReader } from '../../api/read/reader.ts'
import type { ReadMessage } from '../../delivery/broker/settle-messages.ts'
import { endOfTurn } from '../../lib/clock.ts'
import { eventsOf, type PublishParameters, publishEvents } from './publish-events.ts'

const asRequest = (body: Buffer): RawRequest => ({
  method: publishEvents.method,
  target: publishEvents.path,
  query: '',
  pathParams: {},
  headers: { 'content-type': CONTENT_TYPES.body },
  body,
  remoteAddress: '',
})

const reasonOf = ({ members, message }: Problem): string => members.errors?.map((error) => error.message).join(' ') ?? message

/** Reads the body of a broker's message as that of a call that publishes: the same parameters, rules, limits and sentences. */
export function createMessageReader(dialect: Dialect): (body: Buffer) => Promise<ReadMessage> {
  const endpoint = publishEvents as unknown as Endpoint
  const read = compileReader(endpoint, areas[endpoint.area].parameters, dialect)
  return async (body) => {
    if (body.length > endpoint.bodyLimitBytes)
      return { refusal: `The message has ${body.length} bytes; at most ${endpoint.bodyLimitBytes} are allowed.` }
    try {
      const { params } = await read(asRequest(body))
      return { events: (await eventsOf(params as PublishParameters, endOfTurn)).published }
    } catch (error) {
      if (error instanceof Problem) return { refusal: reasonOf(error) }
      throw error
    }
  }
}
