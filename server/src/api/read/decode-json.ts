import { isLongWord } from '../declare/ads-words.ts'
import { decodeText, hasDecoder } from '../declare/codec.ts'
import { notNull, type Params, type TSchema } from '../declare/words.ts'

/** How values of JSON become those of a schema. */
export interface JsonDecoder {
  /** Whether there may be longs: the JSON is then parsed with bigints for whole numbers beyond 2^53. */
  hasLongs: boolean
  decode(value: unknown): unknown
}

interface Inside {
  type?: string
  items?: TSchema
  properties?: Params
}

const insideOf = (schema: TSchema) => notNull(schema).word as TSchema & Inside

/** The schema of members that are not declared. */
const ANYTHING = {} as TSchema

/** Ids and moments in any of their spellings; a bigint where the schema says long, and elsewhere the number that most readers of JSON have. */
function decodeJson(schema: TSchema, value: unknown): unknown {
  const word = insideOf(schema)
  const { type, items = ANYTHING, properties = {} } = word
  if (typeof value === 'bigint') return isLongWord(word) ? value : Number(value)
  if (typeof value === 'string') return type === 'string' && hasDecoder(word) ? decodeText(word, value) : value
  if (Array.isArray(value)) return value.map((item) => decodeJson(items, item))
  if (typeof value !== 'object' || value === null) return value
  const wordOf = (name: string) => (Object.hasOwn(properties, name) ? properties[name]! : ANYTHING)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, decodeJson(wordOf(name), inner)]))
}

/** Whether a word, or any inside of it, is such a one. */
function has(schema: TSchema, isOne: (word: TSchema) => boolean): boolean {
  const word = insideOf(schema)
  const { items, properties = {} } = word
  return isOne(word) || [...(items ? [items] : []), ...Object.values(properties)].some((inner) => has(inner, isOne))
}

/** The decoder of a schema; undefined where JSON values stay as they are. */
export const jsonDecoderOf = (schema: TSchema): JsonDecoder | undefined =>
  has(schema, hasDecoder) ? { hasLongs: has(schema, isLongWord), decode: (value) => decodeJson(schema, value) } : undefined
