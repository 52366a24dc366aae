import type { Endpoint } from '../declare/endpoint.ts'
import type { ErrorDetail } from '../declare/problem.ts'
import type { RawRequest } from '../declare/raw-request.ts'
import { HIDDEN_VALUE, secretNames } from '../declare/secret-words.ts'
import type { DeclaredParameters, ReadSent } from './declared-parameters.ts'
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

/**
 * Compiles how text parameters are read. A list in both of its spellings is merged; anything else in both is an error. Parameters of the
 * credentials are passed over.
 */
export function compileTextReader(
  { auth, params }: Endpoint,
  asked: UrlEncodedPlace,
  declared: DeclaredParameters,
  policy: ParameterPolicy,
): ReadSent {
  const isRefused = (name: string) => policy.unknown === 'refused' && !auth.isCredential?.(name)
  const secrets = secretNames(params)
  return (request) => {
    const { values: firsts, texts, place, errors } = parse(request, asked, declared, policy, secrets)
    const spellings = new Map<string, string>()
    const values: Record<string, unknown> = {}
    const unset: Record<string, null> = {}
    for (const [spelling, text] of firsts) {
      const parameter = declared.get(spelling)
      if (!parameter) {
        if (isRefused(spelling)) errors.push(unknownParameter(spelling, secrets.has(spelling) ? HIDDEN_VALUE : text, place, declared))
        continue
      }
      const { name, word, isUnsettable } = parameter
      const other = spellings.get(name)
      const before = values[name]
      const value = policy.decodeText(word, text)
      const isMerged = Array.isArray(before) && Array.isArray(value)
      if (other !== undefined && !isMerged)
        errors.push(policy.errors.twoSpellings({ name: other, value: firsts.get(other)! }, { name: spelling, value: text }, place))
      spellings.set(name, spelling)
      if (text === '' && isUnsettable) unset[name] = null
      else values[name] = isMerged ? [...new Set([...before, ...value])] : value
    }
    const sent = texts.filter(({ name }) => declared.has(name) || !auth.isCredential?.(name))
    return { values, unset, texts: sent, spellingOf: (name) => spellings.get(name), errors }
  }
}
