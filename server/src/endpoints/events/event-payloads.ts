import type { EventTypeName } from '../../delivery/events/event-types.ts'
import { userPayloads } from './between-users.ts'
import { chatPayloads } from './chat.ts'
import { directMessagePayloads } from './direct-messages.ts'
import type { EventPayload } from './event-payload.ts'
import { newsPayloads } from './news.ts'
import { oauthPayloads } from './oauth.ts'
import { postPayloads } from './posts.ts'
import { profilePayloads } from './profile.ts'
import { spacePayloads } from './spaces.ts'

/** The payload of every event type. */
export const eventPayloads: Readonly<Record<EventTypeName, EventPayload>> = {
  ...profilePayloads,
  ...newsPayloads,
  ...userPayloads,
  ...spacePayloads,
  ...directMessagePayloads,
  ...chatPayloads,
  ...postPayloads,
  ...oauthPayloads,
}
