import type { ErrorObject } from 'ajv'
import type { Caller } from '../declare/auth.ts'
import { encodeValue } from '../declare/codec.ts'
import type { DeferredErrors } from '../declare/deferred-errors.ts'
import { type Dialect, dialects } from '../declare/dialect.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import { type ErrorDetail, invalidRequest } from '../declare/problem.ts'
import type { RawRequest } from '../declare/raw-request.ts'
import type { Naming, Rule } from '../declare/rules.ts'
import { isOptional, notNull, object, optional, type Params, type TSchema } from '../declare/words.ts'
import { createDeferredErrors } from './deferred-errors.ts'
import type { ParameterPolicy } from './parameter-policy.ts'
import { compileSentReader, type SentParameters } from './sent-parameters.ts'
import type { Place } from './url-encoded.ts'
import { errorsIn } from './validator.ts'

type Values = Record<string, unknown>

/** Parameters as a handler has them, and what an answer says of them. */
export interface ReadParameters {
  /** Those that are right, by declared names, with defaults. */
  params: Values
  /** None where the endpoint has no `deferredRules`. */
  deferred: DeferredErrors
  /** The parameters that were understood, as the dialect names them. */
  echo(): Values
  /** The name that the request has for a parameter; of one that was not sent, that of the dialect. */
  sentAs: Naming
}

export type ReadRequest = (request: RawRequest, caller?: Caller) => ReadParameters

const repeated = (word: TSchema, value: unknown): unknown => {
  const { items } = word as { items?: TSchema }
  return Array.isArray(value) && items ? value.map((item) => encodeValue(items, item)) : encodeValue(word, value)
}

/** What values are checked against: where an empty value unsets a parameter, null is no value of it. */
function schemaOf(params: Params, { emptyUnsets }: ParameterPolicy): TSchema {
  const checked = (declared: TSchema) => {
    const { word } = notNull(declared)
    return isOptional(declared) ? optional(word) : word
  }
  return object(emptyUnsets ? Object.fromEntries(Object.entries(params).map(([name, word]) => [name, checked(word)])) : params)
}

/** The parameters that errors are about, as they were sent. */
const namesOf = (errors: readonly ErrorDetail[]): Set<string> => new Set(errors.flatMap(({ parameters = {} }) => Object.keys(parameters)))

/** The rules that are broken by parameters of which none is wrong by itself. */
function brokenRules(rules: readonly Rule[], values: Values, wrong: ReadonlySet<string>, sentAs: Naming, caller?: Caller): Rule[] {
  const isWrong = (name: string) => wrong.has(sentAs(name))
  return rules.filter(({ parameters, holds }) => !(wrong.size > 0 && parameters.some(isWrong)) && !holds(values, caller))
}

function withDefaults(params: Params, values: Values): Values {
  for (const [name, word] of Object.entries(params)) {
    const fallback = (word as { default?: unknown }).default
    if (values[name] === undefined && fallback !== undefined) values[name] = fallback
  }
  return values
}

/**
 * Compiles how an endpoint's parameters are read: text and JSON become typed values, and every error is named at once. The function it answers
 * throws `invalid-request`, and the problems of the policy. A parameter is named as it was sent; one that was not, as the dialect does. The
 * validator is compiled with the first request: compiling all would be half of a start.
 */
export function compileParameters(endpoint: Endpoint, policy: ParameterPolicy, dialect: Dialect = dialects.spec): ReadRequest {
  const { params, pathNames, place, rules } = endpoint
  const inPath = new Set(pathNames)
  const reader = compileSentReader(
    endpoint,
    Object.keys(params).filter((name) => !inPath.has(name)),
    policy,
  )
  const schema = schemaOf(params, policy)
  const placeOf = ({ instancePath }: ErrorObject): Place => (inPath.has(instancePath.split('/')[1] ?? '') ? 'path' : place)

  function readPath({ pathParams }: RawRequest): Values {
    const values: Values = {}
    for (const name of pathNames) {
      const word = params[name]!
      values[name] = policy.decodeText(word, pathParams[name] ?? '')
      if (policy.invalidPath && errorsIn(values[name], word).length > 0) throw policy.invalidPath(dialect.out(name))
    }
    return values
  }

  /** The parameters but those with an error: a JSON body is not repeated. */
  function echoOf(path: Values, { values, unset, spellings }: SentParameters, errors: readonly ErrorDetail[]): Values {
    const wrong = namesOf(errors)
    const echo = Object.fromEntries(Object.entries(path).map(([name, value]) => [dialect.out(name), value]))
    for (const [name, spelling] of spellings)
      if (!wrong.has(spelling))
        echo[dialect.out(name)] = Object.hasOwn(unset, name) ? null : repeated(notNull(params[name]!).word, values[name])
    return echo
  }

  /** An error of what was read has its value; one of what could not be read, or of several parameters, has none. */
  function deferredOf(unread: readonly ErrorDetail[], invalid: readonly ErrorDetail[], { values }: SentParameters): DeferredErrors {
    const nameOf = ({ parameters = {} }: ErrorDetail) => reader.declaredName(Object.keys(parameters)[0] ?? '')
    return createDeferredErrors([
      ...unread.map((error) => ({ name: nameOf(error), value: undefined, error })),
      ...invalid.map((error) => ({ name: nameOf(error), value: values[nameOf(error)], error })),
    ])
  }

  return (request, caller) => {
    const path = readPath(request)
    const sent = reader.read(request)
    const { unset, errors: unread } = sent
    const sentAs = (name: string) => sent.spellingOf(name) ?? dialect.out(name)
    for (const name of pathNames)
      if (Object.hasOwn(sent.values, name))
        unread.push({ message: `$.${name}: stands in the path and must not be in the body`, parameters: { [name]: [] } })
    const found = errorsIn({ ...sent.values, ...path }, schema, request.body?.length)
    const invalid = found.length === 0 ? [] : policy.errors.invalidValues(found, { placeOf, sentAs, named: namesOf(unread), unset })
    const wrong = namesOf([...unread, ...invalid])
    const values = { ...sent.values, ...unset, ...path }
    const broken = brokenRules(rules, values, wrong, sentAs, caller).map((rule) => policy.errors.brokenRule(rule, sentAs))
    const errors = [...unread, ...invalid, ...broken]
    const echoBut = (left: readonly ErrorDetail[]) => echoOf(path, sent, left)
    if (errors.length > 0 && endpoint.deferredRules.length === 0)
      throw Object.assign(invalidRequest(errors), policy.echoes && { echo: echoBut(errors) })
    for (const name of wrong.size > 0 ? Object.keys(values) : []) if (!inPath.has(name) && wrong.has(sentAs(name))) delete values[name]
    const deferred = deferredOf([...unread, ...broken], invalid, sent)
    return { params: withDefaults(params, values), deferred, echo: () => echoBut(deferred.errors), sentAs }
  }
}
