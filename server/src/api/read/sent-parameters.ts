import type { Endpoint } from '../declare/endpoint.ts'
import type { ErrorDetail } from '../declare/problem.ts'
import type { RawRequest } from '../declare/raw-request.ts'
import { HIDDEN_VALUE, secretNames } from '../declare/secret-words.ts'
import { notNull, object, type TSchema } from '../declare/words.ts'
import { CONTENT_TYPES, hasBody, isOfType } from './body.ts'
import type { DeclaredParameters, ReadSent } from './declared-parameters.ts'
import { memberReaderOf, readJsonBody } from './json-body.ts'
import type { ParameterPolicy } from './parameter-policy.ts'
import { assertWellFormed, parseUrlEncoded, type UrlEncodedPlace } from './url-encoded.ts'

const unknownParameter = (name: string, value: string, place: UrlEncodedPlace, declared: DeclaredParameters): ErrorDetail => ({
  message: `The ${place} parameter [${name}] is not one of [${[...declared.keys()].join(',')}]`,
  parameters: { [name]: [value] },
})

/** What is repeated is an error among the others, unless nothing of that name is declared. */
function parse(
  request: RawRequest,
  asked: UrlEncodedPlace,
  declared: DeclaredParameters,
  policy: ParameterPolicy,
  secrets: ReadonlySet<string>,
) {
  const { source, place } = policy.textOf(request, asked)
  const parsed = parseUrlEncoded(source, place, secrets)
  if (policy.malformedText === 'refused') assertWellFormed(parsed)
  const isDeclared = ({ parameters = {} }: ErrorDetail) => Object.keys(parameters).every((name) => declared.has(name))
  for (const error of parsed.repeated) if (isDeclared(error)) parsed.malformed.push(error)
  return { ...parsed, place, errors: parsed.malformed }
}

/** Whether a list has only values that its word lists, where that lists any. */
function hasOnlyListed(word: TSchema, values: readonly unknown[]): boolean {
  const { items } = notNull(word).word as { items?: { enum?: readonly unknown[] } }
  return values.every((value) => items?.enum?.includes(value) ?? true)
}

/**
 * Compiles how text parameters are read. A list in both of its spellings is merged, and messages about it have the
 * spelling of what is wrong; anything else in both is an error. Parameters of the
 * credentials are passed over.
 */
function compileTextReader(
  { auth, params }: Endpoint,
  asked: UrlEncodedPlace,
  declared: DeclaredParameters,
  policy: ParameterPolicy,
): ReadSent {
  const isRefused = (name: string, request: RawRequest) => policy.unknown === 'refused' && !auth.isCredential?.(name, request)
  const secrets = secretNames(params)
  return (request) => {
    const { values: firsts, texts, place, errors } = parse(request, asked, declared, policy, secrets)
    const spellings = new Map<string, string>()
    const values: Record<string, unknown> = {}
    const unset: Record<string, null> = {}
    for (const [spelling, text] of firsts) {
      const parameter = declared.get(spelling)
      if (!parameter) {
        if (isRefused(spelling, request))
          errors.push(unknownParameter(spelling, secrets.has(spelling) ? HIDDEN_VALUE : text, place, declared))
        continue
      }
      const { name, word, isUnsettable } = parameter
      const other = spellings.get(name)
      const before = values[name]
      const value = policy.decodeText(word, text)
      const isMerged = Array.isArray(before) && Array.isArray(value)
      if (other !== undefined && !isMerged)
        errors.push(policy.errors.twoSpellings({ name: other, value: firsts.get(other)! }, { name: spelling, value: text }, place))
      if (!isMerged || !hasOnlyListed(word, value)) spellings.set(name, spelling)
      if (text === '' && isUnsettable) unset[name] = null
      else values[name] = isMerged ? [...new Set([...before, ...value])] : value
    }
    const sent = texts.filter(({ name }) => declared.has(name) || !auth.isCredential?.(name, request))
    return { values, unset, texts: sent, spellingOf: (name) => spellings.get(name), errors }
  }
}

function assertMediaType(request: RawRequest, expected: 'form' | 'body', policy: ParameterPolicy) {
  const problem = hasBody(request) && !isOfType(request, CONTENT_TYPES[expected]) ? policy.wrongMediaType(expected) : undefined
  if (problem) throw problem
}

const NOTHING_DECLARED: DeclaredParameters = new Map()

/** Members that are not declared are kept where the validator is to refuse them. Of the query nothing is declared: it is refused, or repeated. */
function compileBodyReader(endpoint: Endpoint, declared: DeclaredParameters, policy: ParameterPolicy): ReadSent {
  const members = memberReaderOf(object(endpoint.params))
  const refusesUnknown = policy.unknown === 'refused'
  const readQuery = refusesUnknown || policy.echoes ? compileTextReader(endpoint, 'query', NOTHING_DECLARED, policy) : undefined
  return (request) => {
    const { errors, texts } = readQuery?.(request) ?? { errors: [], texts: [] }
    assertMediaType(request, 'body', policy)
    const { values: sent, spellingOf } = readJsonBody(request, members, endpoint.mostValues)
    const parameters = { values: sent, unset: {}, texts, spellingOf, errors }
    if (refusesUnknown && !policy.emptyUnsets) return parameters
    const values: Record<string, unknown> = {}
    const unset: Record<string, null> = {}
    for (const [name, value] of Object.entries(sent)) {
      const parameter = declared.get(name)
      if (value === null && parameter?.isUnsettable) unset[name] = null
      else if (parameter || refusesUnknown) values[name] = value
    }
    return { ...parameters, values, unset }
  }
}

/** Nothing but the query, which is repeated: the handler reads the body. */
function compileRawReader(endpoint: Endpoint, policy: ParameterPolicy): ReadSent {
  const readQuery = compileTextReader(endpoint, 'query', NOTHING_DECLARED, policy)
  return (request) => {
    assertMediaType(request, 'body', policy)
    return readQuery(request)
  }
}

/** Compiles how the declared parameters of an endpoint are read. */
export function compileSentReader(endpoint: Endpoint, declared: DeclaredParameters, policy: ParameterPolicy): ReadSent {
  const { place, isQueryRead } = endpoint
  if (place === 'body') {
    const readBody = compileBodyReader(endpoint, declared, policy)
    if (!isQueryRead) return readBody
    const readQuery = compileTextReader(endpoint, 'query', declared, policy)
    return (request) => (hasBody(request) ? readBody : readQuery)(request)
  }
  if (place === 'raw') return compileRawReader(endpoint, policy)
  const readText = compileTextReader(endpoint, place, declared, policy)
  if (place === 'query') return readText
  if (policy.formOrJson) {
    const readBody = compileBodyReader(endpoint, declared, policy)
    return (request) => (isOfType(request, CONTENT_TYPES.body) ? readBody : readText)(request)
  }
  return (request) => {
    assertMediaType(request, place, policy)
    return readText(request)
  }
}
