import { readFile } from 'node:fs/promises'
import { eventTypeNames, eventTypes } from '../../src/delivery/events/event-types.ts'
import { ADA, type ExampleEvent, exampleEvent, GRACE } from '../../src/endpoints/events/event-content.ts'
import type { Person } from '../../src/endpoints/events/person.ts'
import { DEMO_SEED, readSeed } from '../../src/endpoints/operator/seed/read-seed.ts'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { createClock } from '../../src/lib/clock.ts'
import { createIds } from '../../src/lib/ids.ts'
import type { Settings } from '../../src/settings/settings.ts'
import { callJson, type SeededApp } from './callers.ts'
import { sayDelivery, triedDeliveries } from './deliveries.ts'
import { readArguments, type TriggerArguments, USAGE } from './read-arguments.ts'
import { namesIn, setValue } from './set-value.ts'
import { whyNobody } from './why-nobody.ts'

function typeLines(): string[] {
  const width = Math.max(...eventTypeNames.map((name) => name.length)) + 2
  return eventTypeNames.map((name) => {
    const { summary, consent } = eventTypes[name]!
    return `${name.padEnd(width)}${summary}${consent === null ? '' : ' Private.'}`
  })
}

/** The user of the seed; one that it does not have is made up. */
function personOf(id: string, { users = [] }: SeedDocument): Person {
  const { name = `User ${id}`, username = `user${id}` } = users.find((user) => user.id === id) ?? {}
  return { id, name, username }
}

const appsOf = ({ apps = [] }: SeedDocument): SeededApp[] =>
  apps.flatMap(({ name, consumer_key: key, consumer_secret: secret }) =>
    key === undefined || secret === undefined ? [] : [{ name: name ?? key, key, secret }],
  )

/** The event as the arguments want it. Throws for a member that its payload does not have. */
function eventOf({ type, userId, otherId, direction, values }: TriggerArguments, seed: SeedDocument): ExampleEvent {
  const clock = createClock()
  const subject = personOf(userId, seed)
  const other = personOf(otherId ?? (userId === GRACE.id ? ADA.id : GRACE.id), seed)
  const event = exampleEvent(type, { subject, other, direction, id: createIds(clock).next(), atMs: clock.now() })
  for (const [name, text] of values) {
    if (!setValue(event.payload, name, text)) throw new Error(`the payload has no member ${name}, but ${namesIn(event.payload).join(', ')}`)
    if (name === 'text') event.text = text
  }
  return event
}

async function operatorToken({ operatorToken: configured }: Settings): Promise<string> {
  const token = configured ?? (await readFile('.postern/operator-token', 'utf8').catch(() => '')).trim()
  if (token === '') throw new Error('there is no operator token: set POSTERN_OPERATOR_TOKEN, or run this where Postern was started')
  return token
}

/**
 * Publishes an example of an event on the server of these settings. Returns lines that say who got it, or why nobody did; without arguments
 * all event types. Throws an Error with a sentence for whoever called.
 */
export async function trigger(args: string[], settings: Settings): Promise<string[]> {
  const wanted = readArguments(args)
  if (wanted === undefined) return [...typeLines(), '', USAGE]
  const { document } = await readSeed(settings.seed ?? DEMO_SEED)
  const event = eventOf(wanted, document)
  const origin = wanted.url ?? `http://127.0.0.1:${settings.port}`
  const operator = settings.operatorPort === undefined ? origin : `http://127.0.0.1:${settings.operatorPort}`
  const authorization = `Bearer ${await operatorToken(settings)}`
  const { data, warnings = [] } = await callJson(`${operator}/operator/events`, authorization, { json: event })
  const [{ event_uuid: eventUuid }] = data as [{ event_uuid: string }]
  const deliveries = await triedDeliveries(operator, authorization, eventUuid)
  return [
    `event ${event.event_type} ${eventUuid} about user ${event.user_id}`,
    ...(warnings as { message: string }[]).map(({ message }) => `warning: ${message}`),
    ...(deliveries.length > 0
      ? deliveries.map(sayDelivery)
      : ['no callback got it', ...(await whyNobody(origin, appsOf(document), event))]),
  ]
}
