import { echoBy } from '../declare/ads-words.ts'
import type { Caller } from '../declare/auth.ts'
import { createDeferredErrors, type DeferredErrors } from '../declare/deferred-errors.ts'
import { type Dialect, dialects } from '../declare/dialect.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import { adsMistake, adsProblem, invalidRequest, type Mistake } from '../declare/problem.ts'
import type { RawRequest } from '../declare/raw-request.ts'
import { brokenRules, type Naming, type Rule, sentenceOf, wrongIn } from '../declare/rules.ts'
import { isOptional, notNull, object, optional, type Params, type TSchema } from '../declare/words.ts'
import { adsMistakes } from './ads-mistakes.ts'
import { bySpelling, type Declared, readRequest, type Sent, typed } from './ads-sent.ts'
import { readingOf, withDefaults } from './params.ts'
import { ajv } from './validator.ts'

/** Parameters, and what of the request its answer repeats (§2.4). */
export interface ReadParams {
  /** Those that are right. */
  params: Record<string, unknown>
  /** None where the endpoint does not judge the whole. */
  deferred: DeferredErrors
  /** What was sent, without what is wrong. */
  echo(): Record<string, unknown>
  /** What the request calls a parameter. */
  sentAs: Naming
}

const echoed = (word: TSchema, value: unknown): unknown => {
  const { items } = word as { items?: TSchema }
  return Array.isArray(value) && items ? value.map((item) => echoBy(items, item)) : echoBy(word, value)
}

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
function deferredOf(
  unread: readonly Mistake[],
  unfit: readonly Mistake[],
  declared: Map<string, Declared>,
  { values }: Sent,
): DeferredErrors {
  const nameOf = ({ parameters = {} }: Mistake) => {
    const [spelling = ''] = Object.keys(parameters)
    return declared.get(spelling)?.name ?? spelling
  }
  return createDeferredErrors([
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
  return (request, caller) => {
    const path = readPath(request, endpoint, dialect)
    const sent = readRequest(request, place, declared, reading)
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
    const deferred = deferredOf([...sent.mistakes, ...broken], unfit, declared, sent)
    return {
      params: withDefaults(endpoint.params, { ...path, ...right }),
      deferred,
      echo: () => echoBut(deferred.mistakes),
      sentAs,
    }
  }
}
