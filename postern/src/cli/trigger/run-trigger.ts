import type { Arguments, RunCommand } from '../command.ts'
import { sayDelivery, triedDeliveries } from '../deliveries/delivery.ts'
import { checkEventType, eventTypes } from '../event-types.ts'
import { EXIT, Failure, wrongUsage } from '../failure.ts'
import type { Output } from '../output.ts'
import { nameAndValue } from '../read-values.ts'
import type { Json, Server } from '../server.ts'
import { messagesOf } from '../server.ts'

const names = Object.keys(eventTypes)

const INVALID = 400

/** Publishes it. What the server finds wrong with it is what was given on the command line. */
async function publish(server: Server, json: object): Promise<Json> {
  try {
    return await server.operator('POST', '/operator/trigger', { json })
  } catch (error) {
    if (error instanceof Failure && error.answer?.status === INVALID) {
      const said = messagesOf(error.answer.body as Json).map((message) => message.replace(/^\$\./, ''))
      throw wrongUsage(said.join('\n'))
    }
    throw error
  }
}

function listTypes(out: Output) {
  const width = Math.max(...names.map((name) => name.length)) + 2
  const rows = Object.entries(eventTypes)
  out.show(
    rows.map(([event_type, summary]) => ({ event_type, summary })),
    () => rows.map(([name, summary]) => name.padEnd(width) + summary),
  )
  out.note('\nPublish one: postern trigger dm.received --to ada --text Hello')
  return EXIT.done
}

function bodyOf(type: string, { options: { user, from, to, direction, text, app }, positionals }: Arguments) {
  const members = Object.fromEntries(positionals.slice(1).map(nameAndValue))
  return { event_type: type, user, from, to, direction, text, app_id: app, ...(positionals.length > 1 && { payload: members }) }
}

/** Publishes an example of an event and says who got it. */
export const runTrigger: RunCommand = async (given, { out, server }) => {
  const [type] = given.positionals
  if (type === undefined) return listTypes(out)
  checkEventType(type)
  const { data, meta, warnings = [] } = await publish(server, bodyOf(type, given))
  const deliveries = meta.deliveries === 0 ? [] : await triedDeliveries(server, data.event_uuid)
  out.show({ data, meta, warnings, deliveries }, () => [
    `event ${data.event.event_type} ${data.event_uuid} about user ${data.event.user_id}`,
    ...warnings.map(({ message }: { message: string }) => `warning: ${message}`),
    ...(deliveries.length > 0 ? deliveries.map(sayDelivery) : ['no callback got it', ...(meta.reasons ?? [])]),
  ])
  return EXIT.done
}
