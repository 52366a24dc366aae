import type { Arguments, RunCommand } from '../command.ts'
import { sayDelivery, triedDeliveries } from '../deliveries/delivery.ts'
import { EXIT } from '../exit-codes.ts'
import { wrongUsage } from '../failure.ts'
import { didYouMean } from '../nearest.ts'
import type { Output } from '../output.ts'
import { nameAndValue } from '../read-values.ts'
import { eventTypes } from '../table/event-types.ts'

const names = Object.keys(eventTypes)

/** A former name in PascalCase (`FollowFollow`) or an alias: the server knows which there are. */
const mayBeAlias = (type: string) => !type.includes('.') && /^[A-Z]/.test(type)

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
  const isKnown = names.includes(type)
  if (!isKnown && !mayBeAlias(type) && didYouMean(type, names) !== '')
    throw wrongUsage(`${type} is no event type.${didYouMean(type, names)} \`postern trigger\` lists them.`)
  const { data, meta, warnings = [] } = await server.operator('POST', '/operator/trigger', { json: bodyOf(type, given) })
  const deliveries = meta.deliveries === 0 ? [] : await triedDeliveries(server, data.event_uuid)
  out.show({ data, meta, warnings, deliveries }, () => [
    `event ${data.event.event_type} ${data.event_uuid} about user ${data.event.user_id}`,
    ...warnings.map(({ message }: { message: string }) => `warning: ${message}`),
    ...(deliveries.length > 0 ? deliveries.map(sayDelivery) : ['no callback got it', ...(meta.reasons ?? [])]),
  ])
  return EXIT.done
}
