// Prints postern/src/kit/declared.ts: the names and payloads that the types of the test kit check, from the declarations.
import { dialects } from '../src/api/declare/dialect.ts'
import type { TSchema } from '../src/api/declare/words.ts'
import { namedIn } from '../src/api/describe/describe-word.ts'
import { acceptedEventTypes, eventTypeNames } from '../src/delivery/events/event-types.ts'
import { eventPayloads } from '../src/endpoints/events/event-payloads.ts'
import { allEndpoints } from './all-endpoints.ts'
import { interfaceOf, listType, membersOf, typeOfWord } from './type-of-schema.ts'

const quoted = (names: readonly string[]) => names.map((name) => `  | ${JSON.stringify(name)}`).join('\n')

const routes = () => {
  const isPublic = ({ path }: { path: string }) => !path.startsWith('/operator')
  const spellings = allEndpoints.filter(isPublic).flatMap(({ method, path }) => [`${method} ${path}`, `${method} ${dialects.x.path(path)}`])
  return [...new Set(spellings)].sort()
}

/** The text before it is formatted. */
export function kitTypes(): string {
  const named = new Map<string, TSchema>()
  for (const { payload } of Object.values(eventPayloads)) namedIn(payload, named)
  const shared = [...named].map(interfaceOf)
  const payloads = membersOf(
    'EventPayloads',
    Object.entries(eventPayloads).map(([name, { payload }]) => [name, typeOfWord(payload)]),
  )
  const others = acceptedEventTypes.filter((name) => !(eventTypeNames as readonly string[]).includes(name))
  return `// Printed by \`npm run docs\` from the declarations of endpoints and event types.
// biome-ignore-all lint/suspicious/noExplicitAny: members that are not declared further

/** The event types, by their names. */
${listType('EventTypeName')}

/** Other names that are accepted. */
export type EventTypeAlias =
${quoted(others)}

/** The calls of the public hosts, in the names of either dialect. */
export type Route =
${quoted(routes())}

${shared.join('\n\n')}

/** What events carry. A member whose name differs between the dialects stands under both names. */
export interface EventPayloads {
${payloads.join('\n')}
}
`
}
