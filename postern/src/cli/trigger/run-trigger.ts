import type { Arguments, RunCommand } from '../command.ts'
import { checkEventType, eventTypes } from '../event-types.ts'
import { EXIT, Failure, wrongUsage } from '../failure.ts'
import type { Output } from '../output.ts'
import { nameAndValue } from '../read-values.ts'
import type { Json, Server } from '../server.ts'
import { messagesOf } from '../server.ts'
import { sayTold, type ToldDelivery } from './told-delivery.ts'

const names = Object.keys(eventTypes)

const INVALID = 400

/** The body of `POST /operator/trigger`. */
type Triggering = ReturnType<typeof bodyOf>

/** Options that are easily written as members of the payload, without their dashes. */
const OPTIONS = ['user', 'from', 'to', 'direction', 'text', 'app']

/** The option that was probably meant by a member that the payload does not have. */
function optionMeant(json: Triggering, said: readonly string[]): string | undefined {
  const [name, value] =
    Object.entries(json.payload ?? {}).find(
      ([member]) => OPTIONS.includes(member) && said.some((line) => line.includes(`no member ${member},`)),
    ) ?? []
  return name && `${name} is no member of the payload. Did you mean --${name} ${value}?`
}

/** Causes it. What the server finds wrong with it is what was given on the command line. */
async function cause(server: Server, json: Triggering): Promise<Json> {
  try {
    return await server.operator('POST', '/operator/trigger', { json })
  } catch (error) {
    if (error instanceof Failure && error.answer?.status === INVALID) {
      const said = messagesOf(error.answer.body as Json).map((message) => message.replace(/^\$\./, ''))
      throw wrongUsage(optionMeant(json, said) ?? said.join('\n'))
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
  out.note('\nCause one: postern trigger dm.received --to ada --text Hello')
  return EXIT.done
}

function bodyOf(type: string, { options: { user, from, to, direction, text, app, 'no-wait': isRacing }, positionals }: Arguments) {
  const members = Object.fromEntries(positionals.slice(1).map(nameAndValue))
  const payload = positionals.length > 1 ? members : undefined
  return { event_type: type, user, from, to, direction, text, app_id: app, payload, ...(isRacing === true && { wait: false }) }
}

/** What was done, and which event came of it. */
const sayEvent = ({ event, event_uuid, performed, from, to }: Json, note: string | undefined) => [
  ...(performed ? [`${performed} was called by user ${from}${to === undefined ? '' : ` for user ${to}`}`] : []),
  ...(event ? [`event ${event.event_type} ${event_uuid} about user ${event.user_id}`] : []),
  ...(note === undefined ? [] : [`example: ${note}`]),
]

/** Causes an event and says who got it. */
export const runTrigger: RunCommand = async (given, { out, server }) => {
  const [type] = given.positionals
  if (type === undefined) return listTypes(out)
  checkEventType(type)
  const { data: answered, meta, warnings = [] } = await cause(server, bodyOf(type, given))
  const { deliveries = [], ...data } = answered as Json & { deliveries?: ToldDelivery[] }
  const isAwaited = meta.deliveries === 0 || answered.deliveries !== undefined
  out.show({ data, meta, warnings, deliveries }, () => [
    ...sayEvent(data, meta.note),
    ...warnings.map(({ message }: { message: string }) => `warning: ${message}`),
    ...deliveries.map((delivery: ToldDelivery) => sayTold(delivery, data.event_uuid)),
    ...(meta.deliveries === 0 ? ['no callback got it', ...(meta.reasons ?? [])] : []),
    ...(isAwaited ? [] : [`not awaited: postern deliveries --event ${data.event_uuid}`]),
  ])
  return EXIT.done
}
