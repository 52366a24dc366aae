import { didYouMean } from '../../../server/src/lib/nearest.ts'
import { wrongUsage } from './failure.ts'
import { eventTypes, formerEventTypes } from './table/event-types.ts'

const known = [...Object.keys(eventTypes), ...formerEventTypes]

/** Throws a `Failure` for what is no event type, before anything is sent. */
export function checkEventType(name: string): void {
  if (!known.includes(name)) throw wrongUsage(`${name} is no event type.${didYouMean(name, known)} \`postern trigger\` lists them.`)
}
