import { isLongWord, LONG } from '../declare/ads-words.ts'
import { textPatternOf } from '../declare/codec.ts'
import type { Dialect } from '../declare/dialect.ts'
import { nameOfWord, notNull, type Params, shownAs, type TSchema } from '../declare/words.ts'

/** A word as JSON Schema has it. The greatest long is told by its format: as a number of JSON it would be rounded. */
export function plainSchema(word: TSchema): TSchema {
  if (!isLongWord(word)) return word
  const { [LONG]: minimum, ...rest } = word as TSchema & { [LONG]: number }
  return { type: 'integer', format: 'int64', minimum, ...rest } as TSchema
}

/** A word as text is read by it: an id or a code in either case, a moment in many ways, a list that may name a value twice. */
function asWritten(word: TSchema): TSchema {
  const { items, uniqueItems, ...one } = plainSchema(word) as TSchema & {
    items?: TSchema
    uniqueItems?: boolean
    pattern?: string
    format?: string
  }
  const written = textPatternOf(word)
  if (items) return { ...one, items: asWritten(items) } as TSchema
  if (written === undefined) return one as TSchema
  const { pattern, format, ...rest } = one
  return { ...rest, ...(written && { pattern: written }) } as TSchema
}

/** The schema of a parameter as text, where text is read in more ways than JSON: an empty value stands for null. */
export function textSchema(word: TSchema): TSchema {
  const { word: one, nullable } = notNull(word)
  const { description, ...text } = asWritten(one) as TSchema & { description?: string }
  const sentences = [description, nullable && 'An empty value clears it.'].filter(Boolean)
  return {
    ...(nullable ? { anyOf: [text, { const: '' }] } : text),
    ...(sentences.length > 0 && { description: sentences.join(' ') }),
  } as TSchema
}

/** A schema with its member names in the dialect; what may be null says so in its type. One with a name is a reference to it. */
export function respelled(schema: TSchema, dialect: Dialect): unknown {
  const name = nameOfWord(schema)
  return name === undefined ? definitionOf(schema, dialect) : { $ref: `#/components/schemas/${name}` }
}

interface SchemaParts {
  properties?: Params
  items?: TSchema
  /** Of a map, its values. Else whether there may be members that are not declared. */
  additionalProperties?: TSchema | boolean
  required?: string[]
  anyOf?: TSchema[]
  enum?: string[]
  /** `value`: its values are names. */
  'x-dialect'?: 'value' | 'names'
}

/** The same for the schema that a name stands for. */
export function definitionOf(schema: TSchema, dialect: Dialect): unknown {
  const { word, nullable } = notNull(shownAs(schema))
  if (nullable) {
    const { type, enum: values, ...rest } = respelled(word, dialect) as { type?: string | string[]; enum?: unknown[] }
    // What stands for it in the description may say so too.
    return { type: [...new Set([type, 'null'].flat())], ...(values && { enum: [...values, null] }), ...rest }
  }
  const { properties, items, required, anyOf, ...rest } = plainSchema(word) as TSchema & SchemaParts
  const { additionalProperties: values, enum: names, 'x-dialect': spelled } = rest
  return {
    ...rest,
    ...(names && spelled === 'value' && { enum: names.map(dialect.out) }),
    ...(typeof values === 'object' && { additionalProperties: respelled(values, dialect) }),
    ...(anyOf && { anyOf: anyOf.map((one) => respelled(one, dialect)) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, word]) => [dialect.out(name), respelled(word, dialect)])),
    }),
    ...(items && { items: respelled(items, dialect) }),
    ...(required && { required: required.map(dialect.out) }),
  }
}

/** The schemas that a schema is made of. */
function partsOf(schema: TSchema): TSchema[] {
  const { properties = {}, items, additionalProperties: values, anyOf = [] } = schema as TSchema & SchemaParts
  return [...Object.values(properties), ...(items ? [items] : []), ...(typeof values === 'object' ? [values] : []), ...anyOf]
}

/** The schemas with names in a schema, at any depth. */
export function namedIn(schema: TSchema, found = new Map<string, TSchema>()): Map<string, TSchema> {
  const name = nameOfWord(schema)
  if (name !== undefined) found.set(name, schema)
  for (const inner of partsOf(schema)) namedIn(inner, found)
  return found
}
