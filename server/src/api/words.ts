import Type, { type Static, type TObject, type TOptional, type TProperties, type TSchema } from 'typebox'

/**
 * The words that endpoints are declared with. Each is plain JSON Schema: the same object types the handler's parameter,
 * checks the request, and prints itself into the OpenAPI description. Lengths count characters, not bytes.
 */
export interface About {
  description?: string
  /** A value that passes, for the reference page and for the generated tests. */
  example?: unknown
}

const about = ({ description, example }: About) => ({
  ...(description && { description }),
  ...(example !== undefined && { examples: [example] }),
})

export const text = ({ min = 1, max, ...rest }: { min?: number; max?: number } & About = {}) =>
  Type.String({ ...(min > 0 && { minLength: min }), ...(max !== undefined && { maxLength: max }), ...about(rest) })

/** The numeric id of an object of the general API (`^[0-9]{1,19}$`, §2.1). */
export const id = (rest: About = {}) => Type.String({ pattern: '^[0-9]{1,19}$', ...about({ example: '1997712707928100864', ...rest }) })

export const matching = (pattern: string, rest: About) => Type.String({ pattern, ...about(rest) })

export const integer = ({ min, max, default: fallback, ...rest }: { min?: number; max?: number; default?: number } & About = {}) =>
  Type.Integer({
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...(fallback !== undefined && { default: fallback }),
    ...about(rest),
  })

export const boolean = (rest: About = {}) => Type.Boolean(about(rest))

/** One of a fixed set of texts. */
export const oneOf = <const Values extends readonly string[]>(values: Values, rest: About = {}) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...about(rest) })

/** Several values of one kind: comma separated in a query or a form, an array in JSON. */
export const commaList = <Item extends TSchema>(item: Item, { min = 1, max, ...rest }: { min?: number; max?: number } & About = {}) =>
  Type.Array(item, { minItems: min, ...(max !== undefined && { maxItems: max }), uniqueItems: true, ...about(rest) })

export const listOf = <Item extends TSchema>(item: Item, { min, max, ...rest }: { min?: number; max?: number } & About = {}) =>
  Type.Array(item, { ...(min !== undefined && { minItems: min }), ...(max !== undefined && { maxItems: max }), ...about(rest) })

/** An object of just these members. */
export const object = <Members extends TProperties>(members: Members, rest: About = {}) =>
  Type.Object(members, { additionalProperties: false, ...about(rest) })

/** An object whose members are its sender's own. */
export const anyObject = (rest: About = {}) => Type.Unsafe<Record<string, unknown>>({ type: 'object', ...about(rest) })

/** A JSON value of any kind. */
export const anything = (rest: About = {}) => Type.Unsafe<unknown>({ ...about(rest) })

/** A moment in ISO 8601, UTC, with milliseconds. */
export const timestamp = (rest: About = {}) =>
  Type.String({
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
    ...about({ example: '2026-03-01T12:00:00.000Z', ...rest }),
  })

export const optional = <Word extends TSchema>(word: Word) => Type.Optional(word)

/** The same members, each optional. */
export const optionals = <Members extends TProperties>(members: Members) =>
  Object.fromEntries(Object.entries(members).map(([name, word]) => [name, optional(word)])) as {
    [Name in keyof Members]: TOptional<Members[Name]>
  }

export const nullable = <Word extends TSchema>(word: Word) => Type.Union([word, Type.Null()])

export type Params = TProperties
export type ParamsOf<P extends Params> = Static<TObject<P>>
export type { Static, TSchema }

/** Milliseconds since 1970 as every answer writes a moment. */
export const iso = (ms: number): string => new Date(ms).toISOString()
