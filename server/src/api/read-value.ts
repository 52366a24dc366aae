import { hasReader, readBy } from './ads-words.ts'
import { notNull, type Params, type TSchema } from './words.ts'

/** A value of a JSON body, in which ids and moments may stand in any of their spellings. */
export function readValue(schema: TSchema, value: unknown): unknown {
  const { word } = notNull(schema)
  const { type, items, properties } = word as { type?: string; items?: TSchema; properties?: Params }
  if (typeof value === 'string' && type === 'string' && hasReader(word)) return readBy(word, value)
  if (Array.isArray(value)) return items ? value.map((item) => readValue(items, item)) : value
  if (!properties || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, properties[name] ? readValue(properties[name], inner) : inner]),
  )
}

/** Whether a word, or any inside of it, reads texts in a way of its own. */
function reads(schema: TSchema): boolean {
  const { word } = notNull(schema)
  const { items, properties = {} } = word as { items?: TSchema; properties?: Params }
  return hasReader(word) || (items !== undefined && reads(items)) || Object.values(properties).some(reads)
}

/** How a value of JSON is read; undefined where it stays as it is. */
export const readerOf = (schema: TSchema): ((value: unknown) => unknown) | undefined =>
  reads(schema) ? (value) => readValue(schema, value) : undefined
