import { oneOfNames, type WordOptions } from '../../api/declare/words.ts'
import { acceptedEventTypes } from '../../delivery/events/event-types.ts'

/** An event type by any of its names, or one of a few other values. */
export const eventTypeName = (rest: WordOptions = {}, others: readonly string[] = []) =>
  oneOfNames([...acceptedEventTypes, ...others], { one: 'event type', listedAt: '/docs/events (docs/events.md)' }, rest)
