import { adsMistakes } from './ads-mistakes.ts'
import { echoBy, hasReader, readBy } from './ads-words.ts'
import type { Caller } from './auth.ts'
import { type Dialect, dialects, namesIn, xNameOf } from './dialect.ts'
import { createDoubts, type Doubts, noDoubts } from './doubts.ts'
import type { Endpoint } from './endpoint.ts'
import {
  asDeclared,
  bothSpellings,
  CONTENT_TYPES,
  formText,
  hasBody,
  isOfType,
  jsonMembers,
  type Reading,
  readingOf,
  withDefaults,
} from './params.ts'
import { adsMistake, adsProblem, invalidRequest, type Mistake, Problem } from './problem.ts'
import type { RawRequest } from './raw.ts'
import { brokenRules, type Naming, type Rule, sentenceOf, wrongIn } from './rules.ts'
import { readTextParams, type TextParams } from './text-params.ts'
import { ajv } from './validator.ts'
import { isOptional, notNull, object, optional, type Params, type TSchema } from './words.ts'

/** Parameters, and what of the request its answer repeats (§2.4). */
export interface ReadParams {
  /** Those that are right. */
  params: Record<string, unknown>
  /** None where the endpoint does not judge the whole. */
  doubts: Doubts
  /** What was sent, without what is wrong. */
  echo(): Record<string, unknown>
  /** What the request calls a parameter. */
  sentAs: Naming
}

function typed(word: TSchema, text: string): unknown {
  const { type, items } = word as { type?: string; items?: TSchema }
  if (hasReader(word)) return readBy(word, text)
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  if (type === 'array') return [...new Set(text.split(',').map((item) => typed(items!, item.trim())))]
  return text
}

const echoed = (word: TSchema, value: unknown): unknown => {
  const { items } = word as { items?: TSchema }
  return Array.isArray(value) && items ? value.map((item) => echoBy(items, item)) : echoBy(word, value)
}

/** A body of another kind than the endpoint takes is 415. */
function assertBody(request: RawRequest, place: 'form' | 'body') {
  if (!hasBody(request) || isOfType(request, CONTENT_TYPES[place])) return
  const where = place === 'form' ? 'in the query, or in a body' : 'in a body'
  throw new Problem('unsupported-media-type', { detail: `Send the parameters ${where} with content-type ${CONTENT_TYPES[place]}` })
}

/** The text parameters of a request: of the query, and of a form where there may be one. */
function textParams(request: RawRequest, place: 'query' | 'form'): TextParams {
  if (place === 'query' && request.method !== 'DELETE') return readTextParams(request.query, 'query')
  if (place === 'query') return readTextParams(formText(request), 'form')
  assertBody(request, place)
  return readTextParams(formText(request), 'form')
}

/** A parameter that stands in the query or in a form. */
interface Declared {
  name: string
  word: TSchema
  nullable: boolean
}

/** Parameters by both of their spellings. */
const bySpelling = (own: readonly string[], params: Params): Map<string, Declared> =>
  new Map([...bothSpellings(own)].map(([spelling, name]) => [spelling, { name, ...notNull(params[name]!) }]))

/** What values are checked against: those that unset something are not among them. */
function schemaOf(own: readonly string[], params: Params): TSchema {
  const wordOf = (name: string) => {
    const { word } = notNull(params[name]!)
    return isOptional(params[name]!) ? optional(word) : word
  }
  return object(Object.fromEntries(own.map((name) => [name, wordOf(name)])))
}

/** The ids in the path. Throws 404 for one that cannot be an id. */
function readPath({ pathParams }: RawRequest, { pathNames, params }: Endpoint, dialect: Dialect): Record<string, unknown> {
  const read = (name: string) => {
    const word = params[name]!
    const value = typed(word, pathParams[name] ?? '')
    if (ajv.validate(word, value)) return value
    throw adsProblem('INVALID_ID_ILLEGAL_CHARACTERS', `${dialect.out(name)} in the path is not an id`)
  }
  return Object.fromEntries(pathNames.map((name) => [name, read(name)]))
}

/** What a request carries besides its path, by declared names. */
interface Sent {
  values: Record<string, unknown>
  /** Those that an empty value unsets. */
  unset: Record<string, null>
  /** The name that each was sent under. */
  spellings: Map<string, string>
  mistakes: Mistake[]
}

const oneParameter = (before: string, spelling: string) =>
  adsMistake('EXCLUSIVE_PARAMETERS', `${before} and ${spelling} are one parameter`, spelling)

/** What is sent twice is a mistake, unless it is a list in both of its spellings: that is merged. Unknown parameters may say anything. */
function readSent({ found, mistakes, repeated }: TextParams, declared: Map<string, Declared>): Sent {
  const concerns = ({ parameters = {} }: Mistake) => Object.keys(parameters).every((spelling) => declared.has(spelling))
  const sent: Sent = { values: {}, unset: {}, spellings: new Map(), mistakes: [...mistakes, ...repeated.filter(concerns)] }
  for (const [spelling, text] of found) {
    const known = declared.get(spelling)
    if (!known) continue
    const { name, word, nullable } = known
    const other = sent.spellings.get(name)
    const before = sent.values[name]
    const now = typed(word, text)
    const isList = Array.isArray(before) && Array.isArray(now)
    if (other !== undefined && !isList) sent.mistakes.push(oneParameter(other, spelling))
    sent.spellings.set(name, spelling)
    if (text === '' && nullable) sent.unset[name] = null
    else sent.values[name] = isList ? [...new Set([...before, ...now])] : now
  }
  return sent
}

/** Reads a JSON body; `null` unsets what may be null. */
function readBody(request: RawRequest, declared: Map<string, Declared>, reading: Reading): Sent {
  assertBody(request, 'body')
  const members = jsonMembers(request, reading)
  const names = namesIn(members)
  const sent: Sent = { values: {}, unset: {}, spellings: new Map(), mistakes: [] }
  for (const [name, value] of Object.entries(asDeclared(members, reading))) {
    const known = declared.get(name)
    if (!known) continue
    sent.spellings.set(name, names.get(xNameOf(name)) ?? name)
    if (value === null && known.nullable) sent.unset[name] = null
    else sent.values[name] = value
  }
  return sent
}

/** What cannot be read is no mistake a second time. */
function schemaMistakes(schema: TSchema, { values, unset, mistakes }: Sent, sentAs: Naming): Mistake[] {
  if (ajv.validate(schema, values)) return []
  const named = wrongIn(mistakes)
  return adsMistakes(ajv.errors!, unset, sentAs).filter(({ parameters = {} }) => !Object.keys(parameters).some((name) => named.has(name)))
}

/** Of what was sent, what was understood, as the dialect calls it. */
function echoOf({ values, unset, spellings }: Sent, declared: Map<string, Declared>, wrong: Set<string>, dialect: Dialect) {
  const understood = [...spellings].filter(([, spelling]) => !wrong.has(spelling))
  const echo = (name: string, spelling: string) => (Object.hasOwn(unset, name) ? null : echoed(declared.get(spelling)!.word, values[name]))
  return Object.fromEntries(understood.map(([name, spelling]) => [dialect.out(name), echo(name, spelling)]))
}

/** What is wrong, each parameter with what it was sent as; what could not be read has no value. */
function doubtsOf(unread: readonly Mistake[], unfit: readonly Mistake[], declared: Map<string, Declared>, { values }: Sent): Doubts {
  const nameOf = ({ parameters = {} }: Mistake) => {
    const [spelling = ''] = Object.keys(parameters)
    return declared.get(spelling)?.name ?? spelling
  }
  return createDoubts([
    ...unread.map((mistake) => ({ name: nameOf(mistake), value: undefined, mistake })),
    ...unfit.map((mistake) => ({ name: nameOf(mistake), value: values[nameOf(mistake)], mistake })),
  ])
}

const ruleMistake = (rule: Rule, sentAs: Naming) =>
  adsMistake(rule.code ?? 'INVALID_PARAMETER', sentenceOf(rule, sentAs), sentAs(rule.parameters[0]!))

/**
 * Compiles the parameters of an endpoint of the advertising hosts (§4.4): an empty value unsets what may be null, unknown parameters are
 * passed over, every mistake is named at once; what a JSON body says is not repeated. The function it answers throws `invalid-request`,
 * 404 for an id in the path that cannot be one, and 415.
 */
export function compileAdsParams(
  endpoint: Endpoint,
  dialect: Dialect = dialects.spec,
): (request: RawRequest, caller?: Caller) => ReadParams {
  const own = Object.keys(endpoint.params).filter((name) => !endpoint.pathNames.includes(name))
  const declared = bySpelling(own, endpoint.params)
  const schema = schemaOf(own, endpoint.params)
  const reading = readingOf(object(endpoint.params))
  const { place } = endpoint
  const read = (request: RawRequest) =>
    place === 'body' ? readBody(request, declared, reading) : readSent(textParams(request, place), declared)
  return (request, caller) => {
    const path = readPath(request, endpoint, dialect)
    const sent = read(request)
    const sentAs = (name: string) => sent.spellings.get(name) ?? dialect.out(name)
    const unfit = schemaMistakes(schema, sent, sentAs)
    const wrong = wrongIn([...sent.mistakes, ...unfit])
    const values = { ...sent.values, ...sent.unset }
    const broken = brokenRules(endpoint.rules, values, wrong, sentAs, caller).map((rule) => ruleMistake(rule, sentAs))
    const mistakes = [...sent.mistakes, ...unfit, ...broken]
    const pathEcho = Object.fromEntries(Object.entries(path).map(([name, value]) => [dialect.out(name), value]))
    const echoBut = (left: readonly Mistake[]) => ({
      ...pathEcho,
      ...(place !== 'body' && echoOf(sent, declared, wrongIn(left), dialect)),
    })
    if (mistakes.length > 0 && endpoint.wholeRules.length === 0) throw Object.assign(invalidRequest(mistakes), { echo: echoBut(mistakes) })
    const right = wrong.size === 0 ? values : Object.fromEntries(Object.entries(values).filter(([name]) => !wrong.has(sentAs(name))))
    const doubts = mistakes.length === 0 ? noDoubts : doubtsOf([...sent.mistakes, ...broken], unfit, declared, sent)
    return {
      params: withDefaults(endpoint.params, { ...path, ...right }),
      doubts,
      echo: () => echoBut(doubts.mistakes),
      sentAs,
    }
  }
}
