import { matching, object, oneOf, text } from '../../api/declare/words.ts'
import { type EventPayload, payloadsOf } from './event-payload.ts'
import { wrapped, wrappedUser } from './person.ts'

const BROADCAST_ID = '1zqKVXPQhvZJB'
const ofSpace = 'No sample is published: it follows that of `spaces.start`.'

const broadcastId = matching('^[a-zA-Z0-9]{1,13}$', { example: BROADCAST_ID })

const live = (eventType: string, byAnalogy?: string): EventPayload => ({
  payload: object({ user: wrappedUser, broadcast_id: broadcastId, event_type: oneOf([eventType]) }),
  subject: 'source',
  sourceAt: 'payload.user.data.id',
  ...(byAnalogy && { byAnalogy }),
  example: ({ source }) => ({ payload: { user: wrapped(source), broadcast_id: BROADCAST_ID, event_type: eventType } }),
})

/** Spaces and broadcasts (§6.8). */
export const spacePayloads = payloadsOf({
  'spaces.start': live('spaces_start'),
  'spaces.end': live('spaces_end'),
  'broadcast.start': live('broadcast_start', ofSpace),
  'broadcast.end': live('broadcast_end', ofSpace),
  'broadcast.chat': {
    payload: object({
      user: wrappedUser,
      broadcast_id: broadcastId,
      event_type: oneOf(['broadcast_chat']),
      sender: wrappedUser,
      text: text(),
    }),
    subject: 'source',
    sourceAt: 'payload.user.data.id',
    byAnalogy: ofSpace,
    example: ({ source, target }) => ({
      payload: {
        user: wrapped(source),
        broadcast_id: BROADCAST_ID,
        event_type: 'broadcast_chat',
        sender: wrapped(target),
        text: 'Ahoy',
      },
    }),
  },
})
