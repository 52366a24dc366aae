import type { Dialect } from '../../api/declare/dialect.ts'
import { id, matching, object, oneOf, optional, text } from '../../api/declare/words.ts'
import type { DescribedEvent } from '../../api/describe/webhook.ts'
import type { Consent, EventType } from '../../delivery/events/event-type.ts'
import { type EventTypeName, eventTypeNames, eventTypes } from '../../delivery/events/event-types.ts'
import { eventContent, printedExample } from './event-content.ts'
import { eventPayloads } from './event-payloads.ts'
import { openSchema } from './open-schema.ts'
import { contentSpeller } from './spell-content.ts'

const FILTER_NAMES = { userId: 'user_id', keyword: 'keyword', direction: 'direction' } as const

/** The members that the filter of a type may have, as the API names them. */
export const filterNames = ({ filter }: Pick<EventType, 'filter'>) => filter.map((member) => FILTER_NAMES[member])

const quoted = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

/** Who must have granted what, in a few words. */
export const sayConsent = (consent: Consent | null, { out }: Pick<Dialect, 'out'>): string =>
  consent === null
    ? 'public'
    : `OAuth 1.0a with the access \`${consent.access}\`, or OAuth 2.0 with ${quoted(consent.scopes.map((scope) => out(scope)))}`

const envelope = (name: EventTypeName) => {
  const { payload, includes } = eventContent(name)
  const filter = object({ user_id: optional(id()), keyword: optional(text()), direction: optional(oneOf(['sent', 'received'])) })
  const data = object({
    event_uuid: matching('^-?[0-9]{1,19}$', { description: 'The same in every retry and replay: drop an event that you have had.' }),
    filter: { ...filter, description: 'That of the subscription that matched.' } as typeof filter,
    tag: optional(text({ description: 'That of the subscription, if it has one.' })),
    event_type: oneOf([name]),
    payload,
    includes: optional(includes),
  })
  return openSchema(object({ data }))
}

function exampleOf(name: EventTypeName, spell: ReturnType<typeof contentSpeller>) {
  const { user_id, ...example } = printedExample(name)
  const { payload, includes } = spell(name, example)
  const [first] = filterNames(eventTypes[name]!)
  const filter = first === 'user_id' ? { user_id } : { keyword: 'lighthouse' }
  return { data: { event_uuid: '2235289269612576768', filter, event_type: name, payload, ...(includes !== undefined && { includes }) } }
}

function descriptionOf(name: EventTypeName, dialect: Dialect): string {
  const { subject, consent, aliases = [], unfiltered, ...type } = eventTypes[name]!
  const others = aliases.filter(({ deprecatedSince }) => deprecatedSince === undefined).map((alias) => alias.name)
  const former = aliases.filter(({ deprecatedSince }) => deprecatedSince !== undefined).map((alias) => alias.name)
  const lines = [
    `Filters: ${quoted(filterNames(type))}${unfiltered ? ', or none' : ''}.${subject ? ` \`user_id\` is ${subject}.` : ''}`,
    consent === null ? 'Public: no user has to consent.' : `Private: the user must have granted the app ${sayConsent(consent, dialect)}.`,
    name === 'oauth.revoke' && 'Sent only to the app that the payload names.',
    others.length > 0 && `Other names: ${quoted(others)}.`,
    former.length > 0 && `Deprecated names: ${quoted(former)}.`,
    eventPayloads[name].byAnalogy,
  ]
  return lines.filter(Boolean).join('\n\n')
}

/** Every event type, for the OpenAPI description. */
export function describedEvents(dialect: Dialect): DescribedEvent[] {
  const spell = contentSpeller(dialect)
  return eventTypeNames.map((name) => ({
    name,
    summary: eventTypes[name]!.summary,
    description: descriptionOf(name, dialect),
    body: envelope(name),
    example: exampleOf(name, spell),
  }))
}
