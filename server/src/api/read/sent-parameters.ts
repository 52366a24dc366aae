import { xNameOf } from '../declare/dialect.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import type { ErrorDetail } from '../declare/problem.ts'
import type { RawRequest } from '../declare/raw-request.ts'
import { notNull, object, type Params, type TSchema } from '../declare/words.ts'
import { CONTENT_TYPES, hasBody, isOfType } from './body.ts'
import { memberReaderOf, readJsonBody } from './json-body.ts'
import type { ParameterPolicy } from './parameter-policy.ts'
import { assertWellFormed, parseUrlEncoded, type UrlEncodedPlace } from './url-encoded.ts'

/** A parameter that stands in the query, a form or a JSON body. */
interface DeclaredParameter {
  name: string
  word: TSchema
  /** Whether an empty value unsets it. */
  isUnsettable: boolean
}

/** The parameters of a request but those of its path, by declared names. */
export interface SentParameters {
  values: Record<string, unknown>
  /** Those that an empty value unsets. */
  unset: Record<string, null>
  /** The names that text parameters were sent under, by declared names, in the order in which they came. */
  spellings: ReadonlyMap<string, string>
  /** The name that a parameter was sent under; undefined when it was not sent. */
  spellingOf(name: string): string | undefined
  errors: ErrorDetail[]
}

export interface SentReader {
  /** Throws a Problem where nothing can be read: another media type, or text that cannot be decoded. */
  read(request: RawRequest): SentParameters
  /** The declared name of a spelling; the spelling itself where nothing is declared. */
  declaredName(spelling: string): string
}

const unknownParameter = (name: string, value: string, place: UrlEncodedPlace, known: Iterable<string>): ErrorDetail => ({
  message: `The ${place} parameter [${name}] is not one of [${[...known].join(',')}]`,
  parameters: { [name]: [value] },
})

/** Parameters by both of their spellings. */
function bySpelling(names: readonly string[], params: Params, { emptyUnsets }: ParameterPolicy): Map<string, DeclaredParameter> {
  const declared = new Map<string, DeclaredParameter>()
  for (const name of names) {
    const { word, nullable } = emptyUnsets ? notNull(params[name]!) : { word: params[name]!, nullable: false }
    const parameter = { name, word, isUnsettable: nullable }
    declared.set(name, parameter).set(xNameOf(name), parameter)
  }
  return declared
}

/** Compiles how the parameters `names` of an endpoint are read, from where the endpoint takes them. */
export function compileSentReader(endpoint: Endpoint, names: readonly string[], policy: ParameterPolicy): SentReader {
  const { place, auth, params } = endpoint
  const declared = bySpelling(names, params, policy)
  const members = memberReaderOf(object(params))
  const refusesUnknown = policy.unknown === 'refused'

  function decodedText(request: RawRequest, textPlace: 'query' | 'form', known: ReadonlyMap<string, unknown>) {
    const { source, place } = policy.textOf(request, textPlace)
    const parsed = parseUrlEncoded(source, place)
    if (policy.malformedText === 'refused') assertWellFormed(parsed)
    const { values, malformed, repeated } = parsed
    const isKnown = ({ parameters = {} }: ErrorDetail) => Object.keys(parameters).every((name) => known.has(name))
    return { values, place, errors: [...malformed, ...repeated.filter(isKnown)] }
  }

  /** A list in both of its spellings is merged; anything else in both is an error. What is part of the credentials is passed over. */
  function readText(request: RawRequest, textPlace: 'query' | 'form', known: ReadonlyMap<string, DeclaredParameter>): SentParameters {
    const { values: texts, place, errors } = decodedText(request, textPlace, known)
    const spellings = new Map<string, string>()
    const values: Record<string, unknown> = {}
    const unset: Record<string, null> = {}
    for (const [spelling, text] of texts) {
      const parameter = known.get(spelling)
      if (!parameter) {
        if (refusesUnknown && !auth.isCredential?.(spelling)) errors.push(unknownParameter(spelling, text, place, known.keys()))
        continue
      }
      const { name, word, isUnsettable } = parameter
      const other = spellings.get(name)
      const before = values[name]
      const value = policy.decodeText(word, text)
      const isMerged = Array.isArray(before) && Array.isArray(value)
      if (other !== undefined && !isMerged)
        errors.push(policy.errors.twoSpellings({ name: other, value: texts.get(other)! }, { name: spelling, value: text }, place))
      spellings.set(name, spelling)
      if (text === '' && isUnsettable) unset[name] = null
      else values[name] = isMerged ? [...new Set([...before, ...value])] : value
    }
    return { values, unset, spellings, spellingOf: (name) => spellings.get(name), errors }
  }

  /** Of members that are not declared those are kept that the validator is to refuse. */
  function readBody(request: RawRequest): SentParameters {
    const errors = refusesUnknown ? readText(request, 'query', new Map()).errors : []
    assertMediaType(request, 'body')
    const { values: sent, spellingOf } = readJsonBody(request, members)
    if (refusesUnknown && !policy.emptyUnsets) return { values: sent, unset: {}, spellings: new Map(), spellingOf, errors }
    const values: Record<string, unknown> = {}
    const unset: Record<string, null> = {}
    for (const [name, value] of Object.entries(sent)) {
      const parameter = declared.get(name)
      if (value === null && parameter?.isUnsettable) unset[name] = null
      else if (parameter || refusesUnknown) values[name] = value
    }
    return { values, unset, spellings: new Map(), spellingOf, errors }
  }

  function assertMediaType(request: RawRequest, expected: 'form' | 'body') {
    const problem = hasBody(request) && !isOfType(request, CONTENT_TYPES[expected]) ? policy.wrongMediaType(expected) : undefined
    if (problem) throw problem
  }

  return {
    read(request) {
      if (place === 'body') return readBody(request)
      if (place === 'form') assertMediaType(request, 'form')
      return readText(request, place, declared)
    },
    declaredName: (spelling) => declared.get(spelling)?.name ?? spelling,
  }
}
