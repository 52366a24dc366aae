import { readExactJson } from '../../lib/numbers.ts'
import { type Dialect, dialects, inward, namesIn, type Rename, xNameOf } from '../declare/dialect.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import { invalidRequest, type Mistake } from '../declare/problem.ts'
import { headerOf, type RawRequest } from '../declare/raw-request.ts'
import { brokenRules, type Naming, type Rule, sentenceOf, wrongIn } from '../declare/rules.ts'
import { object, type Params, type TSchema } from '../declare/words.ts'
import { bodyText } from './body-text.ts'
import { parseJson } from './json.ts'
import { mistakeOf } from './mistakes.ts'
import { readerOf, type ValueReader } from './read-value.ts'
import { type Place, parseTextParams } from './text-params.ts'
import { errorsIn } from './validator.ts'

export const CONTENT_TYPES = { body: 'application/json', form: 'application/x-www-form-urlencoded' } as const

export function isOfType(request: RawRequest, expected: string): boolean {
  const sent = headerOf(request, 'content-type')?.split(';')[0]?.trim().toLowerCase()
  return sent === expected
}

/** An empty body is no body. */
export const hasBody = ({ body }: RawRequest): boolean => body !== null && body.length > 0

function assertJson(request: RawRequest) {
  if (hasBody(request) && !isOfType(request, CONTENT_TYPES.body))
    throw invalidRequest([{ message: `Requests with bodies must have content-type of ${CONTENT_TYPES.body}.` }])
}

/** The members of a JSON body, as they were sent; whole numbers beyond 2^53 are exact where there may be longs. */
export const jsonMembers = (request: RawRequest, { reader }: Reading): Record<string, unknown> =>
  hasBody(request) ? membersOf(parseJson(request.body!, reader?.hasLongs ? readExactJson : undefined)) : {}

function membersOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidRequest([{ message: `$: ${Array.isArray(value) ? 'array' : typeof value} found, object expected` }])
  return value as Record<string, unknown>
}

/** A form's parameters stand in the body, the query, or both. */
export function formText(request: RawRequest): string {
  const inBody = request.body && isOfType(request, CONTENT_TYPES.form) ? bodyText(request.body) : ''
  return [request.query, inBody].filter((source) => source !== '').join('&')
}

/** Declared names, by both of their spellings. */
export function bothSpellings(names: readonly string[]): Map<string, string> {
  const declared = new Map<string, string>()
  for (const name of names) declared.set(name, name).set(xNameOf(name), name)
  return declared
}

/** Text becomes what its word says, where it can; where it cannot, the validator says so. */
function typed(word: TSchema, value: string): unknown {
  const { type } = word as { type?: string }
  if (type === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value)
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  if (type === 'array') return value.split(',')
  return value
}

interface Sent {
  /** By declared name. */
  values: Record<string, unknown>
  /** The name a parameter was sent under, by its declared name; undefined when it was not sent. */
  nameOf(declared: string): string | undefined
  mistakes: Mistake[]
}

const twice = (names: [string, string], values: string[], place: Place): Mistake => ({
  message: `Duplicate parameters are not allowed: the ${names.map((name) => `\`${name}\` ${place} parameter`).join(' and the ')}`,
  parameters: Object.fromEntries(names.map((name, index) => [name, [values[index]!]])),
})

/**
 * Reads text parameters under their declared names. A list that comes in both spellings is merged; anything else is a mistake. What is
 * part of the credentials is passed over.
 */
function readText(found: Map<string, string>, declared: Map<string, string>, endpoint: Endpoint, place: Place): Sent {
  const names = new Map<string, string>()
  const sent: Sent = { values: {}, nameOf: (name) => names.get(name), mistakes: [] }
  for (const [name, value] of found) {
    const known = declared.get(name)
    if (known === undefined) {
      if (endpoint.auth.isCredential?.(name)) continue
      if (endpoint.area.unknownParameters === 'refused') sent.mistakes.push(unknown(name, value, place, [...declared.keys()]))
      continue
    }
    const now = typed(endpoint.params[known]!, value)
    const before = sent.values[known]
    const other = names.get(known)
    if (other !== undefined && !Array.isArray(now)) sent.mistakes.push(twice([other, name], [found.get(other)!, value], place))
    sent.values[known] = Array.isArray(now) && Array.isArray(before) ? [...new Set([...before, ...now])] : now
    names.set(known, name)
  }
  return sent
}

function readBody(request: RawRequest, reading: Reading): Sent {
  assertJson(request)
  return readMembers(jsonMembers(request, reading), reading)
}

/** How members of a JSON body become those of its schema. */
export interface Reading {
  rename: Rename
  reader: ValueReader | undefined
}

export const readingOf = (schema: TSchema): Reading => ({ rename: inward(schema), reader: readerOf(schema) })

/** Members of a JSON body as their schema has them: its names, its longs, its ids and moments. */
export function asDeclared(members: Record<string, unknown>, { rename, reader }: Reading): Record<string, unknown> {
  const renamed = rename ? rename(members) : members
  return (reader ? reader.read(renamed) : renamed) as Record<string, unknown>
}

/** Reads members in either spelling; which of two it was is looked up only once something is wrong. */
function readMembers(members: Record<string, unknown>, reading: Reading): Sent {
  let names: Map<string, string> | undefined
  const nameOf = (declared: string) => {
    names ??= namesIn(members)
    return names.get(xNameOf(declared))
  }
  return { values: asDeclared(members, reading), nameOf, mistakes: [] }
}

/**
 * Reads a JSON value that came in so many bytes as an endpoint with these parameters reads its body: in either spelling, every mistake named
 * as there. Throws `invalid-request`.
 */
export function readJsonMembers(params: Params, value: unknown, bytes: number): Record<string, unknown> {
  const schema = object(params)
  const { values, nameOf } = readMembers(membersOf(value), readingOf(schema))
  const sentAs = (name: string) => nameOf(name) ?? name
  const mistakes = errorsIn(values, schema, bytes).map((error) => mistakeOf(error, { place: 'body', sentAs }))
  if (mistakes.length > 0) throw invalidRequest(mistakes)
  return values
}

const unknown = (name: string, value: string, place: Place, known: string[]): Mistake => ({
  message: `The ${place} parameter [${name}] is not one of [${known.join(',')}]`,
  parameters: { [name]: [value] },
})

const ruleMistake = (rule: Rule, sentAs: Naming): Mistake => ({
  message: `${sentenceOf(rule, (name) => `\`${sentAs(name)}\``)}.`,
  parameters: { [sentAs(rule.parameters[0]!)]: [] },
})

export function withDefaults(params: Record<string, TSchema>, values: Record<string, unknown>) {
  for (const [name, word] of Object.entries(params)) {
    const fallback = (word as { default?: unknown }).default
    if (values[name] === undefined && fallback !== undefined) values[name] = fallback
  }
  return values
}

/**
 * Compiles an endpoint's parameters: text and JSON become typed values, and every mistake is named at once. Its validator is
 * compiled with the first request, and kept by the library: compiling all would be half of a start.
 * The function it answers throws `invalid-request`. A parameter is named as it was sent; one that was not, as the dialect does.
 */
export function compileParams(endpoint: Endpoint, dialect: Dialect = dialects.spec): (request: RawRequest) => Record<string, unknown> {
  const schema = object(endpoint.params)
  const reading = readingOf(schema)
  const inPath = new Set(endpoint.pathNames)
  const declared = bothSpellings(Object.keys(endpoint.params).filter((name) => !inPath.has(name)))

  const read = (request: RawRequest): Sent => {
    if (endpoint.place === 'form') return readText(parseTextParams(formText(request), 'form'), declared, endpoint, 'form')
    const query = parseTextParams(request.query, 'query')
    if (endpoint.place === 'query') return readText(query, declared, endpoint, 'query')
    const { mistakes } = readText(query, new Map(), endpoint, 'query')
    return { ...readBody(request, reading), mistakes }
  }

  return (request) => {
    const { values, nameOf, mistakes } = read(request)
    const sentAs = (name: string) => (inPath.has(name) ? name : (nameOf(name) ?? dialect.out(name)))
    for (const name of endpoint.pathNames) {
      if (Object.hasOwn(values, name))
        mistakes.push({ message: `$.${name}: stands in the path and must not be in the body`, parameters: { [name]: [] } })
      values[name] = typed(endpoint.params[name]!, request.pathParams[name] ?? '')
    }
    for (const error of errorsIn(values, schema, request.body?.length ?? 0)) {
      const place = inPath.has(error.instancePath.split('/')[1] ?? '') ? 'path' : endpoint.place
      mistakes.push(mistakeOf(error, { place, sentAs }))
    }
    for (const rule of brokenRules(endpoint.rules, values, wrongIn(mistakes), sentAs)) mistakes.push(ruleMistake(rule, sentAs))
    if (mistakes.length > 0) throw invalidRequest(mistakes)
    return withDefaults(endpoint.params, values)
  }
}
