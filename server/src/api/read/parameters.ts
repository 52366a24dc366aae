import { isDeepStrictEqual } from 'node:util'
import type { Caller } from '../declare/auth.ts'
import { type Dialect, dialects } from '../declare/dialect.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import { type ErrorDetail, invalidRequest } from '../declare/problem.ts'
import type { RawRequest } from '../declare/raw-request.ts'
import type { DeferredErrors, Naming } from '../declare/rules.ts'
import type { Params } from '../declare/words.ts'
import { compileChecks } from './check-parameters.ts'
import { type DeclaredParameters, declaredParameters, type SentParameters } from './declared-parameters.ts'
import { echoText } from './decode-text.ts'
import { readOperation } from './operation.ts'
import type { ParameterPolicy } from './parameter-policy.ts'
import { compileSentReader } from './sent-parameters.ts'
import { errorsIn } from './validator.ts'

/** An error in a parameter, by the parameter's declared name. */
interface ParameterError {
  name: string
  /** The value; undefined if it could not be read. */
  value: unknown
  error: ErrorDetail
}

/** A class, because every request has one: closures would be six objects. */
class Deferred implements DeferredErrors {
  readonly #deferred: readonly ParameterError[]
  #remaining: readonly ParameterError[]
  wereThrown = false

  constructor(deferred: readonly ParameterError[]) {
    this.#deferred = deferred
    this.#remaining = deferred
  }

  get errors() {
    return this.#remaining.map(({ error }) => error)
  }

  against(existing: object = {}, ignored: readonly string[] = []) {
    const existingValue = (name: string) => (existing as Record<string, unknown>)[name]
    const isUnchanged = (name: string, value: unknown) => value !== undefined && isDeepStrictEqual(value, existingValue(name))
    const wrong = this.#deferred.filter(({ name, value }) => !ignored.includes(name) && !isUnchanged(name, value))
    const names = new Set(wrong.map(({ name }) => name))
    return {
      areValid: (parameters: readonly string[]) => !parameters.some((name) => names.has(name)),
      throwWith: (found: readonly ErrorDetail[] = []) => {
        this.#remaining = wrong
        this.wereThrown = true
        if (wrong.length + found.length > 0) throw invalidRequest([...wrong.map(({ error }) => error), ...found])
      },
    }
  }
}

export const createDeferredErrors = (deferred: readonly ParameterError[] = []): DeferredErrors => new Deferred(deferred)

type Echo = Record<string, unknown>

/** What comes more than once under one name is a list: items of a list, values of an undeclared parameter. */
function add(echo: Echo, name: string, value: unknown) {
  echo[name] = Object.hasOwn(echo, name) ? [echo[name], value].flat() : value
}

/**
 * Compiles how an answer repeats the parameters of a request (§2.4): those of the path by their placeholders, then those that were sent, as
 * they were sent and under the names that they were sent with, undeclared and wrong ones too; nothing that was not sent. A JSON body is not repeated.
 */
function compileEcho({ params, pathNames }: Endpoint, declared: DeclaredParameters, dialect: Dialect) {
  const inPath = new Set(pathNames.flatMap((name) => [name, dialect.out(name)]))
  return ({ pathParams }: Pick<RawRequest, 'pathParams'>, { texts }: SentParameters): Echo => {
    const echo: Echo = {}
    for (const name of pathNames) echo[dialect.out(name)] = echoText(params[name]!, pathParams[name] ?? '')
    for (const { name: spelling, value } of texts) {
      const parameter = declared.get(spelling)
      if (inPath.has(spelling)) continue
      if (!parameter) add(echo, spelling, value)
      else add(echo, spelling, value === '' && parameter.isUnsettable ? null : echoText(parameter.word, value))
    }
    return echo
  }
}

type Values = Record<string, unknown>

/** Parameters as a handler has them, and what an answer says of them. */
export interface ReadParameters {
  /** Those that are right, by declared names, with defaults. */
  params: Values
  /** None where the endpoint has no `deferredRules`. */
  deferred: DeferredErrors
  /** The parameters that were sent, wrong ones too, under the names that they were sent with. */
  echo(): Values
  /** The name that the request has for a parameter; of one that was not sent, that of the dialect. */
  sentAs: Naming
}

type ReadRequest = (request: RawRequest, caller?: Caller) => ReadParameters

/** Compiles how the parameters of the path are read. */
function compilePathReader({ params, pathNames }: Endpoint, { decodeText, invalidPath }: ParameterPolicy, dialect: Dialect) {
  return ({ pathParams }: RawRequest): Values => {
    const values: Values = {}
    for (const name of pathNames) {
      const word = params[name]!
      values[name] = decodeText(word, pathParams[name] ?? '')
      if (invalidPath && errorsIn(values[name], word).length > 0) throw invalidPath(dialect.out(name))
    }
    return values
  }
}

/** The text of a parameter as it came; undefined when it came as no text. */
function sentText({ texts }: SentParameters, spelling: string): string | undefined {
  const found = texts.filter(({ name }) => name === spelling).map(({ value }) => value)
  return found.length === 0 ? undefined : found.join(',')
}

/** A name of the path can only come a second time in a JSON body. */
const inPathAndBody = (pathNames: readonly string[], { values }: SentParameters): ErrorDetail[] =>
  pathNames
    .filter((name) => Object.hasOwn(values, name))
    .map((name) => ({ message: `$.${name}: is a path parameter and must not be in the body`, parameters: { [name]: [] } }))

/** A value that was read comes with its error: it may be the existing one. What was not read, and a broken rule, come without. */
function deferErrors(
  unread: readonly ErrorDetail[],
  invalid: readonly ErrorDetail[],
  { values }: SentParameters,
  declared: DeclaredParameters,
) {
  const nameOf = ({ parameters = {} }: ErrorDetail) => {
    const [spelling = ''] = Object.keys(parameters)
    return declared.get(spelling)?.name ?? spelling
  }
  return createDeferredErrors([
    ...unread.map((error) => ({ name: nameOf(error), value: undefined, error })),
    ...invalid.map((error) => ({ name: nameOf(error), value: values[nameOf(error)], error })),
  ])
}

function withDefaults(params: Params, values: Values): Values {
  for (const [name, word] of Object.entries(params)) {
    const fallback = (word as { default?: unknown }).default
    if (values[name] === undefined && fallback !== undefined) values[name] = fallback
  }
  return values
}

/** Parameters as they came, to be judged. */
interface Came extends Pick<RawRequest, 'pathParams'> {
  path: Values
  sent: SentParameters
}

/** Compiles how an endpoint's parameters are judged, wherever they came from: every error is named at once. */
function compileJudgement(endpoint: Endpoint, policy: ParameterPolicy, dialect: Dialect, declared: DeclaredParameters) {
  const { params, pathNames } = endpoint
  const isDeferring = endpoint.deferredRules.length > 0
  const check = compileChecks(endpoint, policy, dialect.out)
  const echoOf = compileEcho(endpoint, declared, dialect)
  return ({ path, sent, pathParams }: Came, caller?: Caller): ReadParameters => {
    const sentAs = (name: string) => sent.spellingOf(name) ?? dialect.out(name)
    if (pathNames.length > 0) sent.errors.push(...inPathAndBody(pathNames, sent))
    const textOf = (spelling: string) => {
      const inPath = pathNames.find((name) => sentAs(name) === spelling)
      return inPath === undefined ? sentText(sent, spelling) : pathParams[inPath]
    }
    const { values, invalid, broken, wrong } = check({ path, sent, sentAs, textOf, caller })
    const echo = () => echoOf({ pathParams }, sent)
    if (sent.errors.length + invalid.length + broken.length === 0)
      return { params: withDefaults(params, values), deferred: createDeferredErrors(), echo, sentAs }
    const errors = [...sent.errors, ...invalid, ...broken]
    if (!isDeferring) throw Object.assign(invalidRequest(errors), policy.echoes && { echo: echo() })
    const deferred = deferErrors([...sent.errors, ...broken], invalid, sent, declared)
    // A copy: what was sent is compared with the existing record, and repeated.
    const right = Object.entries(values).filter(([name]) => !wrong.has(sentAs(name)) || pathNames.includes(name))
    return { params: withDefaults(params, Object.fromEntries(right)), deferred, echo, sentAs }
  }
}

/**
 * Compiles how an endpoint's parameters are read: text and JSON become typed values, and every error is named at once. The function that it
 * answers throws `invalid-request`, and the problems of the policy. A parameter is named as it was sent; one that was not, as the dialect does.
 */
export function compileParameters(endpoint: Endpoint, policy: ParameterPolicy, dialect: Dialect = dialects.spec): ReadRequest {
  const declared = declaredParameters(endpoint, policy)
  const readPath = compilePathReader(endpoint, policy, dialect)
  const readSent = compileSentReader(endpoint, declared, policy)
  const judge = compileJudgement(endpoint, policy, dialect, declared)
  return (request, caller) => {
    const path = readPath(request)
    return judge({ path, sent: readSent(request), pathParams: request.pathParams }, caller)
  }
}

/**
 * Compiles how an operation of a batch is read as its endpoint reads a request: the members of an object are the parameters, those of the
 * endpoint's path among them.
 */
export function compileOperation(endpoint: Endpoint, policy: ParameterPolicy, dialect: Dialect = dialects.spec) {
  const asBody: Endpoint = { ...endpoint, pathNames: [], place: 'body' }
  const declared = declaredParameters(asBody, policy)
  const judge = compileJudgement(asBody, policy, dialect, declared)
  return (members: Readonly<Values>, caller?: Caller): ReadParameters =>
    judge({ path: {}, sent: readOperation(members, declared, policy), pathParams: {} }, caller)
}
