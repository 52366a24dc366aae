import type {
  Static,
  TArray,
  TBoolean,
  TInteger,
  TNull,
  TNumber,
  TObject,
  TOptional,
  TProperties,
  TSchema,
  TString,
  TUnion,
  TUnsafe,
} from 'typebox'
import { isoMoment } from '../../lib/time.ts'
import { type ListedNames, withCodec } from './codec.ts'

/**
 * The words that endpoints are declared with. Each is plain JSON Schema: the same object types the handler's parameter,
 * checks the request, and prints itself into the OpenAPI description. Lengths count characters, not bytes. The types are
 * TypeBox's; the objects are made here, because its code would be a fifth of what a start loads.
 */
export interface WordOptions {
  description?: string
  /** A value that passes, for the reference page and for the generated tests. */
  example?: unknown
  /** What a text of this pattern is, in plain words, for error messages: `a duration such as 90s or 1h`. */
  mustBe?: string
  /** True for a password or a secret: no error repeats its value. */
  secret?: boolean
}

const annotations = ({ description, example, secret }: WordOptions) => ({
  ...(description && { description }),
  ...(secret && { writeOnly: true }),
  ...(example !== undefined && { examples: [example] }),
})

const word = <Word extends TSchema>(schema: object) => schema as Word

/** Marks a word as optional; JSON does not show it. */
const OPTIONAL = Symbol('optional')

export const isOptional = (schema: TSchema): boolean => OPTIONAL in schema

export const text = ({ min = 1, max, ...rest }: { min?: number; max?: number } & WordOptions = {}) =>
  word<TString>({ type: 'string', ...(min > 0 && { minLength: min }), ...(max !== undefined && { maxLength: max }), ...annotations(rest) })

/** The numeric id of an object of the general API (`^[0-9]{1,19}$`, §2.1). */
export const id = (rest: WordOptions = {}) =>
  word<TString>({ type: 'string', pattern: '^[0-9]{1,19}$', ...annotations({ example: '1997712707928100864', ...rest }) })

/** The format of an id of at most 64 bits. */
export const ID_FORMAT = 'int64'

/** The id of a data object: a number of at most 64 bits with a sign, as its column is. */
export const objectId = (rest: WordOptions = {}) => ({ ...id(rest), format: ID_FORMAT }) as TString

/** An id that clients write in JSON as a number too, beyond 2^53 as well. */
export const idOrNumber = (rest: WordOptions = {}) =>
  withCodec(id(rest), { decodeNumber: (sent) => (typeof sent === 'bigint' || Number.isSafeInteger(sent) ? String(sent) : undefined) })

export function matching(pattern: string, { mustBe, ...rest }: WordOptions): TString {
  const text = word<TString>({ type: 'string', pattern, ...annotations(rest) })
  return mustBe === undefined ? text : withCodec(text, { mustBe })
}

/** A duration such as `90s`, `5m` or `1h`. */
export const duration = (rest: WordOptions = {}) =>
  matching('^\\d{1,12}(\\.\\d{1,6})?(ms|s|m|h|d)$', { example: '1h', mustBe: 'a duration such as 90s, 5m or 1h', ...rest })

export const integer = ({ min, max, ...rest }: { min?: number; max?: number } & WordOptions = {}) =>
  word<TInteger>({
    type: 'integer',
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...annotations(rest),
  })

/** A number that need not be whole. */
export const number = ({ min, max, ...rest }: { min?: number; max?: number } & WordOptions = {}) =>
  word<TNumber>({
    type: 'number',
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...annotations(rest),
  })

export const boolean = (rest: WordOptions = {}) => word<TBoolean>({ type: 'boolean', ...annotations(rest) })

/** One of a fixed set of texts. */
export const oneOf = <const Values extends readonly string[]>(values: Values, rest: WordOptions = {}) =>
  word<TUnsafe<Values[number]>>({ type: 'string', enum: [...values], ...annotations(rest) })

/** One of many names: a wrong one is answered with the nearest and with where they are listed, instead of with all of them. */
export const oneOfNames = (values: readonly string[], names: ListedNames, rest: WordOptions = {}) =>
  withCodec(oneOf(values, rest), { names })

/** One of a fixed set of whole numbers. */
export const oneOfNumbers = (values: readonly number[], rest: WordOptions = {}) =>
  word<TInteger>({ type: 'integer', enum: [...values], ...annotations(rest) })

/** Several values of one kind: comma separated in a query or a form, an array in JSON. */
export const commaList = <Item extends TSchema>(item: Item, { min = 1, max, ...rest }: { min?: number; max?: number } & WordOptions = {}) =>
  word<TArray<Item>>({
    type: 'array',
    items: item,
    minItems: min,
    ...(max !== undefined && { maxItems: max }),
    uniqueItems: true,
    ...annotations(rest),
  })

export const listOf = <Item extends TSchema>(item: Item, { min, max, ...rest }: { min?: number; max?: number } & WordOptions = {}) =>
  word<TArray<Item>>({
    type: 'array',
    items: item,
    ...(min !== undefined && { minItems: min }),
    ...(max !== undefined && { maxItems: max }),
    ...annotations(rest),
  })

/** An object of just these members. */
export const object = <Members extends TProperties>(members: Members, rest: WordOptions = {}) => {
  const required = Object.keys(members).filter((name) => !isOptional(members[name]!))
  return word<TObject<Members>>({
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: members,
    additionalProperties: false,
    ...annotations(rest),
  })
}

/** The name under which the OpenAPI description has a word once; JSON does not show it. */
const NAME = Symbol('name')

/** A word that many endpoints share: the OpenAPI description has it once, under this name. */
export const named = <Word extends TSchema>(name: string, one: Word): Word => ({ ...one, [NAME]: name })

export const nameOfWord = (schema: TSchema): string | undefined => (schema as { [NAME]?: string })[NAME]

/** What the OpenAPI description shows instead of a word; JSON does not show it. */
const SHOWN = Symbol('shown')

/** A word that is described as another: for values that the endpoint judges one by one, so that a wrong one does not refuse the request. */
export const describedAs = <Word extends TSchema>(one: Word, shown: TSchema): Word => ({ ...one, [SHOWN]: shown })

export const shownAs = (schema: TSchema): TSchema => (schema as { [SHOWN]?: TSchema })[SHOWN] ?? schema

/** An object whose members are its sender's own. */
export const anyObject = (rest: WordOptions = {}) => word<TUnsafe<Record<string, unknown>>>({ type: 'object', ...annotations(rest) })

/** Such an object that is handed on as it was sent: whole numbers in it keep their digits, those beyond 2^53 as bigints. */
export const exactObject = (rest: WordOptions = {}) => withCodec(anyObject(rest), { isExact: true })

/** An object whose member names are keys, such as ids: each value is of one kind. */
export const mapOf = <Item extends TSchema>(item: Item, rest: WordOptions = {}) =>
  word<TUnsafe<Record<string, Static<Item>>>>({ type: 'object', additionalProperties: item, ...annotations(rest) })

/** A JSON value of any kind. */
export const anything = <Value = unknown>(rest: WordOptions = {}) => word<TUnsafe<Value>>({ ...annotations(rest) })

/** A moment in ISO 8601, as a pattern has it; one that the calendar has, which no pattern can say. */
export const moment = (pattern: string, rest: WordOptions) => ({ ...matching(pattern, rest), format: MOMENT_FORMAT }) as TString

/** The name of the format, for what checks it. */
export const MOMENT_FORMAT = 'date-time'

/** A moment in ISO 8601, UTC, with milliseconds. */
export const timestamp = (rest: WordOptions = {}) =>
  moment('^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$', {
    example: '2026-03-01T12:00:00.000Z',
    mustBe: 'a time in UTC with milliseconds, like 2026-03-01T12:00:00.000Z',
    ...rest,
  })

export const optional = <Word extends TSchema>(required: Word) => ({ ...required, [OPTIONAL]: true }) as unknown as TOptional<Word>

/** What may be left out of a request, and is then `fallback`: the handler always has it. */
export const defaulting = <Word extends TSchema>(required: Word, fallback: Static<Word>) =>
  ({ ...required, default: fallback, [OPTIONAL]: true }) as Word

/** The same members, each optional. */
export const optionals = <Members extends TProperties>(members: Members) =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, optional(member)])) as {
    [Name in keyof Members]: TOptional<Members[Name]>
  }

/** The members with these names. */
export const pick = <Members extends TProperties, Name extends keyof Members>(members: Members, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, members[name]])) as Pick<Members, Name>

export const nullable = <Word extends TSchema>(one: Word) => word<TUnion<[Word, TNull]>>({ anyOf: [one, { type: 'null' }] })

/** A value of one of several kinds. */
export const eitherOf = <Words extends TSchema[]>(...kinds: Words) => word<TUnion<Words>>({ anyOf: kinds })

export type Params = TProperties
export type ParamsOf<P extends Params> = Static<TObject<P>>
export type { Static, TSchema }

const YEAR_10000_MS = Date.UTC(10_000, 0)

/** Milliseconds since 1970 as every answer writes a moment. Throws a RangeError for what is no moment. */
export const iso = (ms: number): string => (ms >= 0 && ms < YEAR_10000_MS ? isoMoment(Math.floor(ms)) : new Date(ms).toISOString())

/** The word itself, without its leave to be null. */
export function withoutNull(word: TSchema): TSchema {
  const { anyOf } = word as { anyOf?: (TSchema & { type?: string })[] }
  return anyOf?.[1]?.type === 'null' ? anyOf[0]! : word
}

/** The word itself, without its leave to be null; and whether it had it. */
export function notNull(word: TSchema): { word: TSchema; nullable: boolean } {
  const inner = withoutNull(word)
  return { word: inner, nullable: inner !== word }
}
