import type { Endpoint } from '../declare/endpoint.ts'
import type { RawRequest } from '../declare/raw-request.ts'
import { object } from '../declare/words.ts'
import { CONTENT_TYPES, hasBody, isOfType } from './body.ts'
import type { DeclaredParameters, ReadSent } from './declared-parameters.ts'
import { memberReaderOf, readJsonBody } from './json-body.ts'
import type { ParameterPolicy } from './parameter-policy.ts'
import { compileTextReader } from './text-parameters.ts'

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
    const { values: sent, spellingOf } = readJsonBody(request, members)
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
