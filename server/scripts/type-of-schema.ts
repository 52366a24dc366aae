// TypeScript types as text, from the words of declarations.
import { dialects } from '../src/api/declare/dialect.ts'
import type { TSchema } from '../src/api/declare/words.ts'
import { definitionOf, respelled } from '../src/api/describe/describe-word.ts'
import { eventTypeNames } from '../src/delivery/events/event-types.ts'
import { seededKinds } from '../src/endpoints/operator/seed/seed-document.ts'

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

/** A member whose name differs between the dialects stands under both, each optional: a server has one of them. */
function memberLines([name, schema]: [string, Schema], isRequired: boolean): string[] {
  const type = typeOf(schema)
  const other = dialects.x.out(name)
  return other === name ? [`${name}${isRequired ? '' : '?'}: ${type}`] : [`${name}?: ${type}`, `${other}?: ${type}`]
}

function objectType({ properties, required = [], additionalProperties }: Schema): string {
  if (typeof additionalProperties === 'object') return `Record<string, ${typeOf(additionalProperties)}>`
  if (!properties) return 'Record<string, any>'
  return `{ ${Object.entries(properties)
    .flatMap((member) => memberLines(member, required.includes(member[0])))
    .join('; ')} }`
}

const eitherOf = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join(' | ')

/** Long lists of names. */
const lists = { EventTypeName: eventTypeNames, SeededKind: seededKinds }

const namesOfLists = new Map<string, string>(Object.entries(lists).map(([name, values]) => [values.join(), name]))

/** The declaration of a long list of names, which is a type of its own wherever it stands. */
export const listType = (name: keyof typeof lists) => `export type ${name} = ${eitherOf(lists[name])}`

function typeOf(schema: Schema): string {
  const { $ref, type, enum: values, anyOf, items } = schema
  if ($ref !== undefined) return $ref.split('/').at(-1)!
  if (values) {
    const names = values.filter((value) => value !== null)
    const name = namesOfLists.get(names.join()) ?? eitherOf(names)
    return names.length < values.length ? `${name} | null` : name
  }
  if (anyOf) return anyOf.map(typeOf).join(' | ')
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(' | ')
  if (type === 'array') return `(${items ? typeOf(items) : 'unknown'})[]`
  return type === undefined || type === 'object' ? objectType(schema) : SIMPLE[type]!
}

/** The type of a word; one that has a name is named. */
export const typeOfWord = (word: TSchema): string => typeOf(respelled(word, dialects.spec) as Schema)

/** The declaration of a word that has a name. */
export const interfaceOf = ([name, word]: [string, TSchema]) =>
  `export interface ${name} ${objectType(definitionOf(word, dialects.spec) as Schema)}`

/** A longer type is printed once, and named by the first member that has it. */
const LONG_TYPE = 80

/** The members of an interface. */
export function membersOf(owner: string, members: readonly (readonly [name: string, type: string])[]): string[] {
  const firstWith = new Map<string, string>()
  return members.map(([name, type]) => {
    const first = firstWith.get(type)
    if (first === undefined) firstWith.set(type, name)
    const isNamed = first !== undefined && type.length > LONG_TYPE
    return `  ${JSON.stringify(name)}: ${isNamed ? `${owner}[${JSON.stringify(first)}]` : type}`
  })
}
