import { setTimeout as wait } from 'node:timers/promises'
import { foldUsername, isUserId } from '../../kit/users.ts'
import type { Arguments, RunCommand } from '../command.ts'
import { type Delivery, sayDelivery } from '../deliveries/delivery.ts'
import { whyNobodyGot } from '../deliveries/why-nobody-got.ts'
import { checkEventType } from '../event-types.ts'
import { readExactJson } from '../exact-json.ts'
import { EXIT, wrongUsage } from '../failure.ts'
import type { Server } from '../server.ts'

const POLL_MS = 200
/** An attempt takes ten seconds at most, unless the server has other settings. */
const MOST_WAIT_MS = 12_000

function jsonOf(text: string): unknown {
  try {
    return readExactJson(text)
  } catch {
    return undefined
  }
}

function payloadOf(text: string): object {
  const value = jsonOf(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw wrongUsage(`--payload is a JSON object such as '{"text":"Hello"}', and not ${text}.`)
}

/** The id of a user of the server; one whom it does not have is named by id. */
async function idOfUser(user: string, server: Server): Promise<string> {
  if (isUserId(user)) return user
  const { data } = await server.operator('GET', '/operator/users', { query: { username: foldUsername(user) } })
  if (data.length === 0) throw wrongUsage(`--user: no user has the username ${user}. Name one whom the server does not have by id.`)
  return data[0].id
}

async function eventOf({ positionals: [type], options }: Arguments, server: Server) {
  const { user, payload, direction, text, event } = options as Record<string, string | undefined>
  checkEventType(type!)
  if (user === undefined) throw wrongUsage('--user is missing: the id or username of the user whom the event is about.')
  const content = payloadOf(payload!)
  return { event_type: type, user_id: await idOfUser(user, server), payload: content, direction, text, event_uuid: event }
}

interface Tried {
  deliveries: Delivery[]
  /** Since when the database is a restored copy that sends nothing. */
  heldSince?: string
}

/** The deliveries of an event, once each was tried or is not to be. A restored copy tries none. */
async function triedDeliveries(server: Server, event: string, isAwaited: boolean): Promise<Tried> {
  const untilMs = performance.now() + (isAwaited ? MOST_WAIT_MS : 0)
  for (let isFirst = true; ; isFirst = false) {
    const { data: deliveries } = await server.operator('GET', '/operator/deliveries', { query: { event_uuid: event } })
    const isTried = (deliveries as Delivery[]).every(({ state, attempts }) => state !== 'pending' || attempts.length > 0)
    if (isTried) return { deliveries }
    const heldSince = isFirst && (await server.operator('GET', '/operator/overview')).data.held_since
    if (heldSince) return { deliveries, heldSince }
    if (performance.now() > untilMs) return { deliveries }
    await wait(POLL_MS)
  }
}

/** Publishes an event and says who got it. */
export const runPublish: RunCommand = async (given, { out, server }) => {
  const json = await eventOf(given, server)
  const { data, meta, warnings = [] } = await server.operator('POST', '/operator/events', { json })
  const [{ event_uuid }] = data
  const { deliveries, heldSince } = await triedDeliveries(server, event_uuid, given.options['no-wait'] !== true)
  const isRepeated = deliveries.length > 0 && meta.deliveries === 0
  const isForNobody = deliveries.length === 0 && meta.subscriptions === 0
  const why = isForNobody && !out.isJson ? await whyNobodyGot(server, event_uuid) : []
  out.show({ data: { event_uuid }, meta, warnings, deliveries }, () => [
    `event ${json.event_type} ${event_uuid} about user ${json.user_id}`,
    ...warnings.map(({ message }: { message: string }) => `warning: ${message}`),
    ...(isRepeated ? ['it was accepted before: nothing is sent again. What became of it:'] : []),
    ...deliveries.map(sayDelivery),
    ...(heldSince ? [`held since ${heldSince}: this is a restored copy, which sends it once \`postern restore --release\` lets it`] : []),
    ...(isForNobody ? ['no callback gets it', ...why] : []),
    ...(deliveries.length === 0 && !isForNobody ? ['it goes to activity streams alone'] : []),
  ])
  return EXIT.done
}
