import { adsMistakeOf } from './ads-mistakes.ts'
import { echoBy, hasReader, readBy } from './ads-words.ts'
import { type Dialect, dialects, xNameOf } from './dialect.ts'
import type { Endpoint } from './endpoint.ts'
import { ajv, CONTENT_TYPES, formMembers, isOfType, withDefaults } from './params.ts'
import { adsProblem, invalidRequest, type Mistake, Problem } from './problem.ts'
import type { RawRequest } from './raw.ts'
import { parseTextParams } from './text-params.ts'
import { isOptional, notNull, object, optional, type TSchema } from './words.ts'

/** Parameters, and what of the request its answer repeats (§2.4). */
export interface ReadParams {
  params: Record<string, unknown>
  echo: Record<string, unknown>
  /** What the request calls a parameter. */
  sentAs(name: string): string
}

function typed(word: TSchema, text: string): unknown {
  const { type, items } = word as { type?: string; items?: TSchema }
  if (hasReader(word)) return readBy(word, text)
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  if (type === 'array') return text.split(',').map((item) => typed(items!, item.trim()))
  return text
}

const echoed = (word: TSchema, value: unknown): unknown => {
  const { items } = word as { items?: TSchema }
  return Array.isArray(value) && items ? value.map((item) => echoBy(items, item)) : echoBy(word, value)
}

/** The text parameters of a request: of the query, and of a form where there may be one. A body of another kind is 415. */
function textParams(request: RawRequest, endpoint: Endpoint): Map<string, string> {
  if (endpoint.place === 'query') return parseTextParams(request.query, 'query')
  const hasBody = request.body !== null && request.body.length > 0
  if (hasBody && !isOfType(request, CONTENT_TYPES.form))
    throw new Problem('unsupported-media-type', {
      detail: `Send the parameters in the query, or in a body with content-type ${CONTENT_TYPES.form}`,
    })
  return formMembers(request)
}

interface Word {
  word: TSchema
  nullable: boolean
}

/**
 * Compiles the parameters of an endpoint of the advertising hosts (§4.4): an empty value unsets what may be null, unknown parameters are
 * passed over, every mistake is named at once. The function it answers throws `invalid-request`, 404 for an id in the path that cannot
 * be one, and 415.
 */
export function compileAdsParams(endpoint: Endpoint, dialect: Dialect = dialects.spec): (request: RawRequest) => ReadParams {
  const words = new Map<string, Word>(Object.entries(endpoint.params).map(([name, word]) => [name, notNull(word)]))
  const inPath = new Set(endpoint.pathNames)
  const own = [...words].filter(([name]) => !inPath.has(name))
  const schema = object(
    Object.fromEntries(own.map(([name, { word }]) => [name, isOptional(endpoint.params[name]!) ? optional(word) : word])),
  )
  const pathSchemas = endpoint.pathNames.map((name) => ({ name, word: words.get(name)!.word }))
  const declared = new Map<string, string>()
  for (const [name] of own) declared.set(name, name).set(xNameOf(name), name)

  const readPath = (request: RawRequest) =>
    pathSchemas.map(({ name, word }) => {
      const value = typed(word, request.pathParams[name] ?? '')
      if (ajv.validate(word, value)) return [name, value] as const
      throw adsProblem('INVALID_ID_ILLEGAL_CHARACTERS', `${dialect.out(name)} in the path is not an id`)
    })

  return (request) => {
    const params: Record<string, unknown> = Object.fromEntries(readPath(request))
    const echo: Record<string, unknown> = {}
    for (const name of endpoint.pathNames) echo[dialect.out(name)] = params[name]
    const values: Record<string, unknown> = {}
    const unset: string[] = []
    const names = new Map<string, string>()
    const mistakes: Mistake[] = []
    for (const [sent, text] of textParams(request, endpoint)) {
      const name = declared.get(sent)
      if (name === undefined) continue
      const { word, nullable } = words.get(name)!
      const before = names.get(name)
      if (before !== undefined)
        mistakes.push({ message: `${before} and ${sent} are one parameter`, parameters: { [sent]: [] }, code: 'EXCLUSIVE_PARAMETERS' })
      names.set(name, sent)
      if (text === '' && nullable) unset.push(name)
      else values[name] = typed(word, text)
    }
    const sentAs = (name: string) => names.get(name) ?? dialect.out(name)
    if (!ajv.validate(schema, values))
      for (const error of ajv.errors!) if (!unset.includes(error.params.missingProperty)) mistakes.push(adsMistakeOf(error, sentAs))
    const wrong = new Set(mistakes.flatMap((mistake) => Object.keys(mistake.parameters ?? {})))
    for (const name of names.keys())
      if (!wrong.has(sentAs(name))) echo[dialect.out(name)] = unset.includes(name) ? null : echoed(words.get(name)!.word, values[name])
    for (const name of unset) values[name] = null
    for (const { says, parameters, code, holds } of endpoint.rules)
      if (!parameters.some((name) => wrong.has(sentAs(name))) && !holds(values))
        mistakes.push({
          message: parameters.reduce((text, name) => text.replaceAll(`\`${name}\``, sentAs(name)), says),
          parameters: { [sentAs(parameters[0]!)]: [] },
          code,
        })
    if (mistakes.length > 0) {
      const problem = invalidRequest(mistakes)
      problem.echo = echo
      throw problem
    }
    return { params: withDefaults(endpoint.params, { ...params, ...values }), echo, sentAs }
  }
}
