import type { PublishedEvent } from '../../delivery/publish.ts'
import type { GiveWay } from '../../lib/fair-turns.ts'
import { mapInSlices } from '../../lib/slices.ts'
import { eventMistakes } from '../events/check-event.ts'
import { isEventTypeName } from '../events/event-content.ts'

/** An answer has so many at most, and a tenth of them of one event. */
export const MOST_WARNINGS = 100
const MOST_OF_EVENT = MOST_WARNINGS / 10

/** What of an event is not as its type declares. */
export interface EventWarning {
  event_uuid: string
  event_type: string
  path: string
  message: string
}

/** Checks accepted events of so many bytes each against what their types declare. */
export async function eventWarnings(
  events: readonly (PublishedEvent & { eventUuid: string })[],
  bytes: readonly number[],
  giveWay?: GiveWay,
): Promise<EventWarning[]> {
  const found = await mapInSlices(
    events,
    ({ eventUuid: event_uuid, eventType, ...event }) => {
      if (!isEventTypeName(eventType)) return []
      const mistakes = eventMistakes({ eventType, ...event }).slice(0, MOST_OF_EVENT)
      return mistakes.map((mistake) => ({ event_uuid, event_type: eventType, ...mistake }))
    },
    (_, index) => bytes[index]!,
    giveWay,
  )
  return found.flat().slice(0, MOST_WARNINGS)
}
