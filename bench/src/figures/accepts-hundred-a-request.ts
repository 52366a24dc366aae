import { measureAccepts } from '../accepts/measure-accepts.ts'
import type { Figure } from '../figure.ts'

export const acceptsHundredARequest: Figure = {
  name: 'accepts-100',
  limit: 'The same with 100 events in a request.',
  aim: '–',
  measure: (pace) => measureAccepts({ eventsARequest: 100, inFlight: 8 }, pace),
}
