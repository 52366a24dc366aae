import { engagementEvents } from './engagement.ts'
import type { EventAlias, EventType } from './event-type.ts'
import { followEvents } from './follow.ts'
import { chatEvents, directMessageEvents } from './messages.ts'
import { newsEvents } from './news.ts'
import { oauthEvents } from './oauth.ts'
import { postEvents } from './posts.ts'
import { profileEvents } from './profile.ts'
import { spaceEvents } from './spaces.ts'

const declared = {
  ...profileEvents,
  ...newsEvents,
  ...followEvents,
  ...spaceEvents,
  ...directMessageEvents,
  ...chatEvents,
  ...postEvents,
  ...engagementEvents,
  ...oauthEvents,
}

/** The canonical name of an event type. */
export type EventTypeName = keyof typeof declared

/** Every event type of the activity API by its canonical name (§6 and public practice). */
export const eventTypes: Readonly<Record<string, EventType>> = declared

/** The canonical names. */
export const eventTypeNames = Object.keys(declared) as readonly EventTypeName[]

const aliases = new Map<string, EventAlias & { canonical: string }>(
  Object.entries(eventTypes).flatMap(([canonical, type]) => (type.aliases ?? []).map((alias) => [alias.name, { ...alias, canonical }])),
)

/** Every accepted name. */
export const acceptedEventTypes: readonly string[] = [...eventTypeNames, ...aliases.keys()]

/** The canonical name of an accepted event type. */
export const canonicalEventType = (name: string): string => aliases.get(name)?.canonical ?? name

/** Since when a name is deprecated, in ISO 8601, and the name to use instead; undefined for a name that is not deprecated. */
export function deprecationOf(name: string): { since: string; successor: string } | undefined {
  const { deprecatedSince: since, canonical = name } = aliases.get(name) ?? {}
  return since === undefined ? undefined : { since, successor: canonical }
}
