import { type ErrorDetail, Problem } from '../../api/declare/problem.ts'
import { type CheckedJson, jsonCheckOf } from '../../api/read/json-body.ts'
import type { EventTypeName } from '../../delivery/events/event-types.ts'
import type { Direction } from '../../storage/subscriptions.ts'
import { contentSchema } from './event-content.ts'
import { eventPayloads } from './event-payloads.ts'

/** An event of a producer, with the canonical name of its type. */
export interface SentEvent {
  eventType: EventTypeName
  userId: string
  direction?: Direction
  payload: unknown
  includes?: unknown
}

/** Where an event breaks a rule of its type: `payload.users.101`, and a sentence that names the place and the rule. */
export interface EventMistake {
  path: string
  message: string
}

const checks = new Map<EventTypeName, ReturnType<typeof jsonCheckOf>>()

/** How the content of a type is checked; compiled at its first event. */
function checkOf(eventType: EventTypeName) {
  const known = checks.get(eventType) ?? jsonCheckOf(contentSchema(eventType), 'as they came')
  checks.set(eventType, known)
  return known
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The values at a path, of which `*` stands for every item or member. */
function valuesAt(value: unknown, [step, ...rest]: readonly string[]): unknown[] {
  if (step === undefined) return [value]
  if (!isObject(value)) return []
  const inner = step === '*' ? Object.values(value) : Object.hasOwn(value, step) ? [value[step as keyof typeof value]] : []
  return inner.flatMap((one) => valuesAt(one, rest))
}

/** The places that name the user whom the event is about. None where it may be about a user whom no place names. */
function subjectPlaces({ eventType, direction }: SentEvent): string[] {
  const { subject, sourceAt, targetAt } = eventPayloads[eventType]
  const isSource = subject === 'source' || (subject === 'either' && direction !== 'received')
  const isTarget = subject === 'target' || (subject === 'either' && direction !== 'sent')
  const places = [...(isSource ? [sourceAt] : []), ...(isTarget ? [targetAt] : [])]
  const known = places.filter((place) => place !== undefined)
  return known.length === places.length ? known : []
}

/** Whether the content names another user than the event. Where it names none, nothing is wrong. */
function otherSubject(event: SentEvent, values: Record<string, unknown>): EventMistake[] {
  const places = subjectPlaces(event)
  const found = places.flatMap((place) => valuesAt(values, place.split('.'))).filter((id) => typeof id === 'string')
  if (found.length === 0 || found.includes(event.userId)) return []
  const [path] = places as [string]
  return [{ path, message: `$.${path}: is ${found[0]}, but the event's user_id is ${event.userId}` }]
}

const mistakeOf = ({ message, parameters = {} }: ErrorDetail): EventMistake => ({ path: Object.keys(parameters)[0] ?? '', message })

/** What of a producer's event is not as its type declares (§6.8). Members that are not declared are no mistake. */
export function eventMistakes(event: SentEvent): EventMistake[] {
  const { payload, includes } = event
  let checked: CheckedJson
  try {
    checked = checkOf(event.eventType)({ payload, ...(includes !== undefined && { includes }) })
  } catch (error) {
    // A member in both spellings.
    if (error instanceof Problem) return (error.members.errors ?? []).map(mistakeOf)
    throw error
  }
  return [...checked.errors.map(mistakeOf), ...otherSubject(event, checked.values)]
}
