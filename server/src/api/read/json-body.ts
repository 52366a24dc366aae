import { readExactJson } from '../../lib/numbers.ts'
import { isLongWord } from '../declare/ads-words.ts'
import { decodeNumber, decodeText, hasDecoder, hasNumberDecoder, isKeptExact } from '../declare/codec.ts'
import { namesIn, requestTranslator, type Translate, xNameOf } from '../declare/dialect.ts'
import { type ErrorDetail, invalidRequest } from '../declare/problem.ts'
import type { RawRequest } from '../declare/raw-request.ts'
import { isSecret } from '../declare/secret-words.ts'
import { object, type Params, type TSchema, withoutNull } from '../declare/words.ts'
import { hasBody } from './body.ts'
import { kindOf } from './broken-rule.ts'
import { generalErrors } from './general-policy.ts'
import { parseJson } from './json.ts'
import { errorsIn, type Integers } from './validator.ts'

/** How values of JSON become those of a schema. */
interface JsonDecoder {
  /** Whether there may be longs, ids as numbers, or objects that are handed on: the JSON is then parsed with bigints for whole numbers beyond 2^53. */
  isExact: boolean
  decode(value: unknown): unknown
}

interface Inside {
  type?: string
  items?: TSchema
  properties?: Params
}

const insideOf = (schema: TSchema) => withoutNull(schema) as TSchema & Inside

/** The schema of members that are not declared. */
const ANYTHING = {} as TSchema

const NO_PROPERTIES: Params = {}

/** Ids and moments in any of their spellings; a bigint where the schema says long, and elsewhere the number that most readers of JSON have. */
function decodeJson(schema: TSchema, value: unknown): unknown {
  const word = insideOf(schema)
  if (isKeptExact(word)) return value
  const { type, items = ANYTHING, properties = NO_PROPERTIES } = word
  if (typeof value === 'bigint') return decodeNumber(word, value) ?? (isLongWord(word) ? value : Number(value))
  if (typeof value === 'number') return decodeNumber(word, value) ?? value
  if (typeof value === 'string') return type === 'string' && hasDecoder(word) ? decodeText(word, value) : value
  if (Array.isArray(value)) return value.map((item) => decodeJson(items, item))
  if (typeof value !== 'object' || value === null) return value
  const sent = value as Record<string, unknown>
  // Copied only if a value in it has another form: of most events none has.
  let decoded = sent
  for (const name in sent) {
    const inner = decodeJson(Object.hasOwn(properties, name) ? properties[name]! : ANYTHING, sent[name])
    if (inner === sent[name]) continue
    if (decoded === sent) decoded = { ...sent }
    decoded[name] = inner
  }
  return decoded
}

/** Whether a word, or any inside of it, is such a one. */
function has(schema: TSchema, isOne: (word: TSchema) => boolean): boolean {
  const word = insideOf(schema)
  const { items, properties = {} } = word
  return isOne(word) || [...(items ? [items] : []), ...Object.values(properties)].some((inner) => has(inner, isOne))
}

const isExact = (word: TSchema) => isLongWord(word) || hasNumberDecoder(word) || isKeptExact(word)

const isDecoded = (word: TSchema) => hasDecoder(word) || hasNumberDecoder(word) || isKeptExact(word)

/** The decoder of a schema; undefined where JSON values stay as they are. */
const jsonDecoderOf = (schema: TSchema): JsonDecoder | undefined =>
  has(schema, isDecoded) ? { isExact: has(schema, isExact), decode: (value) => decodeJson(schema, value) } : undefined

/** How members of JSON become those of a schema: their names, and their values. */
export interface MemberReader {
  translate: Translate
  decoder: JsonDecoder | undefined
  /** Whether it holds secrets, so that no error may quote the text. */
  hasSecrets: boolean
}

export const memberReaderOf = (schema: TSchema): MemberReader => ({
  translate: requestTranslator(schema),
  decoder: jsonDecoderOf(schema),
  hasSecrets: isSecret(schema),
})

export interface Members {
  /** By declared names. */
  values: Record<string, unknown>
  /** The spelling that a name had at any depth, by its declared name; looked up only once something is wrong. */
  spellingOf(name: string): string | undefined
}

function assertObject(value: unknown): asserts value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidRequest([{ message: `$: ${kindOf(value)} found, object expected` }])
}

function readMembers(members: Record<string, unknown>, { translate, decoder }: MemberReader): Members {
  const translated = translate ? translate(members) : members
  let names: Map<string, string> | undefined
  return {
    values: (decoder ? decoder.decode(translated) : translated) as Record<string, unknown>,
    spellingOf(name) {
      names ??= namesIn(members)
      return names.get(xNameOf(name))
    },
  }
}

/** The members of a JSON body; none without a body. Throws `invalid-request`. */
export function readJsonBody(request: RawRequest, reader: MemberReader, mostValues: number): Members {
  if (!hasBody(request)) return readMembers({}, reader)
  const { decoder, hasSecrets } = reader
  const value = parseJson(request.body!, { parse: decoder?.isExact ? readExactJson : undefined, hasSecrets, mostValues })
  assertObject(value)
  return readMembers(value, reader)
}

/** What a JSON value is by declared names, and every error in it. */
export interface CheckedJson {
  values: Record<string, unknown>
  errors: ErrorDetail[]
}

/** Compiles how JSON objects of a schema are read, in either spelling. Throws `invalid-request` for one that has a member in both. */
export function jsonCheckOf(schema: TSchema, integers: Integers = 'exact'): (value: unknown) => CheckedJson {
  const { decoder = { isExact: true, decode: (value: unknown) => decodeJson(schema, value) }, ...reader } = memberReaderOf(schema)
  return (value) => {
    assertObject(value)
    const { values, spellingOf } = readMembers(value, { ...reader, decoder })
    const errors = generalErrors.invalidValues(errorsIn(values, schema, integers), {
      placeOf: () => 'body',
      sentAs: (name) => spellingOf(name) ?? name,
      spell: (name) => name,
      textOf: () => undefined,
      named: new Set(),
      unset: {},
    })
    return { values, errors }
  }
}

/** One check for all values with the same parameters: the validator keeps what it has compiled by schema. */
const memberChecks = new WeakMap<Params, ReturnType<typeof jsonCheckOf>>()

/** Reads a JSON value as an endpoint with these parameters reads its body: in either spelling, with every error. Throws `invalid-request`. */
export function readJsonMembers(params: Params, value: unknown): Record<string, unknown> {
  const check = memberChecks.get(params) ?? jsonCheckOf(object(params))
  memberChecks.set(params, check)
  const { values, errors } = check(value)
  if (errors.length > 0) throw invalidRequest(errors)
  return values
}
