import { hasReader, readBy } from '../declare/ads-words.ts'
import { namesIn, xNameOf } from '../declare/dialect.ts'
import { adsMistake, type Mistake, Problem } from '../declare/problem.ts'
import type { RawRequest } from '../declare/raw-request.ts'
import { notNull, type Params, type TSchema } from '../declare/words.ts'
import { asDeclared, bothSpellings, CONTENT_TYPES, formText, hasBody, isOfType, jsonMembers, type Reading } from './params.ts'
import { readTextParams, type TextParams } from './text-params.ts'

/** What text is by its word; the text itself where it is none of it. */
export function typed(word: TSchema, text: string): unknown {
  const { type, items } = word as { type?: string; items?: TSchema }
  if (hasReader(word)) return readBy(word, text)
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  if (type === 'array') return [...new Set(text.split(',').map((item) => typed(items!, item.trim())))]
  return text
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
export interface Declared {
  name: string
  word: TSchema
  nullable: boolean
}

/** Parameters by both of their spellings. */
export const bySpelling = (own: readonly string[], params: Params): Map<string, Declared> =>
  new Map([...bothSpellings(own)].map(([spelling, name]) => [spelling, { name, ...notNull(params[name]!) }]))

/** What a request carries besides its path, by declared names. */
export interface Sent {
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

/** Reads what a request carries where its endpoint takes it: in the query, in a query or a form, or in JSON. Throws 415 for another body. */
export const readRequest = (
  request: RawRequest,
  place: 'query' | 'form' | 'body',
  declared: Map<string, Declared>,
  reading: Reading,
): Sent => (place === 'body' ? readBody(request, declared, reading) : readSent(textParams(request, place), declared))
