import { acceptedEventTypes, eventTypes as declared } from '../../../server/src/delivery/events/event-types.ts'
import { didYouMean } from '../../../server/src/lib/nearest.ts'
import { wrongUsage } from './failure.ts'

/** Every event type with its summary, for completion and for help without a server: declarations alone, which load nothing else of it. */
export const eventTypes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(declared).map(([name, { summary }]) => [name, summary]),
)

/** Throws a `Failure` for what is no event type, before anything is sent. */
export function checkEventType(name: string): void {
  if (acceptedEventTypes.includes(name)) return
  throw wrongUsage(`${name} is no event type.${didYouMean(name, acceptedEventTypes)} \`postern trigger\` lists them.`)
}
