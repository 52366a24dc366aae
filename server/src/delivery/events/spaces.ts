import { type EventType, eventFamily } from './event-type.ts'

const live = (summary: string, subject: string, ...madeBy: NonNullable<EventType['madeBy']>): EventType => ({
  summary,
  subject,
  filter: ['userId'],
  consent: null,
  madeBy,
})

/** Spaces and broadcasts. */
export const spaceEvents = eventFamily({
  'spaces.start': live('A space started.', 'the host of the space', 'POST /2/spaces', 'PUT /2/spaces/:id'),
  'spaces.end': live('A space ended.', 'the host of the space', 'PUT /2/spaces/:id'),
  'broadcast.start': live('A broadcast started.', 'the user who broadcasts'),
  'broadcast.end': live('A broadcast ended.', 'the user who broadcasts'),
  'broadcast.chat': live('Somebody wrote in the chat of a broadcast.', 'the user who broadcasts'),
})
