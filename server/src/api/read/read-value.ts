import { hasReader, isLongWord, readBy } from '../declare/ads-words.ts'
import { notNull, type Params, type TSchema } from '../declare/words.ts'

/** How a value of JSON becomes one of its schema. */
export interface ValueReader {
  /** Whether there may be longs: the JSON is to be read with bigints for whole numbers beyond 2^53. */
  hasLongs: boolean
  read(value: unknown): unknown
}

interface Inside {
  type?: string
  items?: TSchema
  properties?: Params
}

const insideOf = (schema: TSchema) => notNull(schema).word as TSchema & Inside

/** What a schema says nothing of. */
const ANYTHING = {} as TSchema

/** Ids and moments in any of their spellings; a bigint where the schema says long, and as most readers of JSON have it elsewhere. */
function readValue(schema: TSchema, value: unknown): unknown {
  const word = insideOf(schema)
  const { type, items = ANYTHING, properties = {} } = word
  if (typeof value === 'bigint') return isLongWord(word) ? value : Number(value)
  if (typeof value === 'string') return type === 'string' && hasReader(word) ? readBy(word, value) : value
  if (Array.isArray(value)) return value.map((item) => readValue(items, item))
  if (typeof value !== 'object' || value === null) return value
  const wordOf = (name: string) => (Object.hasOwn(properties, name) ? properties[name]! : ANYTHING)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, readValue(wordOf(name), inner)]))
}

/** Whether a word, or any inside of it, is such a one. */
function has(schema: TSchema, isOne: (word: TSchema) => boolean): boolean {
  const word = insideOf(schema)
  const { items, properties = {} } = word
  return isOne(word) || [...(items ? [items] : []), ...Object.values(properties)].some((inner) => has(inner, isOne))
}

/** Undefined where values stay as they are. */
export const readerOf = (schema: TSchema): ValueReader | undefined =>
  has(schema, hasReader) ? { hasLongs: has(schema, isLongWord), read: (value) => readValue(schema, value) } : undefined
