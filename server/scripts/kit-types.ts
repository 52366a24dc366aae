// Prints postern/src/kit/declared.ts: the names and payloads that the types of the test kit check, from the declarations.
import { type Dialect, dialects } from '../src/api/declare/dialect.ts'
import type { TSchema } from '../src/api/declare/words.ts'
import { definitionOf, namedIn, respelled } from '../src/api/describe/describe-word.ts'
import { acceptedEventTypes, eventTypeNames } from '../src/delivery/events/event-types.ts'
import { eventPayloads } from '../src/endpoints/events/event-payloads.ts'
import { allEndpoints } from './all-endpoints.ts'

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
}

const SIMPLE: Record<string, string> = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' }
const x: Dialect = dialects.x
/** A longer type is printed once, and named by the first event type that has it. */
const LONG_TYPE = 80

/** A member whose name differs between the dialects stands under both, each optional: a server has one of them. */
function memberLines([name, schema]: [string, Schema], isRequired: boolean): string[] {
  const type = typeOf(schema)
  const other = x.out(name)
  return other === name ? [`${name}${isRequired ? '' : '?'}: ${type}`] : [`${name}?: ${type}`, `${other}?: ${type}`]
}

function objectType({ properties, required = [], additionalProperties }: Schema): string {
  if (typeof additionalProperties === 'object') return `Record<string, ${typeOf(additionalProperties)}>`
  if (!properties) return 'Record<string, any>'
  return `{ ${Object.entries(properties)
    .flatMap((member) => memberLines(member, required.includes(member[0])))
    .join('; ')} }`
}

function typeOf(schema: Schema): string {
  const { $ref, type, enum: values, anyOf, items } = schema
  if ($ref !== undefined) return $ref.split('/').at(-1)!
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (anyOf) return anyOf.map(typeOf).join(' | ')
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(' | ')
  if (type === 'array') return `(${items ? typeOf(items) : 'unknown'})[]`
  return type === undefined || type === 'object' ? objectType(schema) : SIMPLE[type]!
}

const quoted = (names: readonly string[]) => names.map((name) => `  | ${JSON.stringify(name)}`).join('\n')

const routes = () => {
  const isPublic = ({ path }: { path: string }) => !path.startsWith('/operator')
  const spellings = allEndpoints.filter(isPublic).flatMap(({ method, path }) => [`${method} ${path}`, `${method} ${x.path(path)}`])
  return [...new Set(spellings)].sort()
}

/** The text before it is formatted. */
export function kitTypes(): string {
  const named = new Map<string, TSchema>()
  for (const { payload } of Object.values(eventPayloads)) namedIn(payload, named)
  const shared = [...named].map(([name, word]) => `export interface ${name} ${objectType(definitionOf(word, dialects.spec) as Schema)}`)
  const firstWith = new Map<string, string>()
  const payloads = Object.entries(eventPayloads).map(([name, { payload }]) => {
    const type = typeOf(respelled(payload, dialects.spec) as Schema)
    const first = firstWith.get(type)
    if (first === undefined) firstWith.set(type, name)
    const isLong = type.length > LONG_TYPE
    return `  ${JSON.stringify(name)}: ${first !== undefined && isLong ? `EventPayloads[${JSON.stringify(first)}]` : type}`
  })
  const others = acceptedEventTypes.filter((name) => !(eventTypeNames as readonly string[]).includes(name))
  return `// Printed by \`npm run docs\` from the declarations of endpoints and event types.
// biome-ignore-all lint/suspicious/noExplicitAny: members that are not declared further

/** The event types, by their names. */
export type EventTypeName =
${quoted(eventTypeNames)}

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
