import { parseArgs } from 'node:util'
import { canonicalEventType, type EventTypeName } from '../../src/delivery/events/event-types.ts'
import { isEventTypeName } from '../../src/endpoints/events/event-content.ts'
import type { Direction } from '../../src/storage/subscriptions.ts'

export const USAGE = `npm run trigger -- <event type> [--user <id>] [--to <id>] [--direction sent|received] [name=value …] [--url <origin>]
Publishes an example of the type about the user (by default 101); --to is the other user, where there is one. --direction says who of the two did it.
name=value sets the member of the payload with that name. --url is where Postern listens, by default where the settings say.
Without an event type it lists them all.`

export interface TriggerArguments {
  type: EventTypeName
  userId: string
  otherId: string | undefined
  direction: Direction | undefined
  url: string | undefined
  /** Members of the payload, with the texts that they are set to. */
  values: [name: string, text: string][]
}

const wrong = (says: string) => new Error(`${says}\n\n${USAGE}`)

function parse(args: string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({ args, allowPositionals: true, options: { user: text, to: text, direction: text, url: text } })
  } catch (error) {
    throw wrong((error as Error).message)
  }
}

function readValue(assignment: string): [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(assignment) ?? []
  if (name === undefined || value === undefined) throw wrong(`${assignment} is not name=value`)
  return [name, value]
}

const readId = (id: string) => {
  if (!/^[0-9]{1,19}$/.test(id)) throw wrong(`${id} is no user id, a number of at most 19 digits`)
  return id
}

const isDirection = (text: string): text is Direction => text === 'sent' || text === 'received'

/** Reads the arguments of the command; undefined for none. Throws with a sentence and how it is used. */
export function readArguments(args: string[]): TriggerArguments | undefined {
  const { values: options, positionals } = parse(args)
  const [given, ...assignments] = positionals
  if (given === undefined) return undefined
  const type = canonicalEventType(given)
  if (!isEventTypeName(type)) throw new Error(`${given} is no event type; npm run trigger lists them`)
  const { user = '101', to, direction, url } = options
  if (direction !== undefined && !isDirection(direction)) throw wrong('--direction is sent or received')
  return { type, userId: readId(user), otherId: to && readId(to), direction, url, values: assignments.map(readValue) }
}
