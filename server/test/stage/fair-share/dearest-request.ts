import type { Endpoint } from '../../../src/api/declare/endpoint.ts'
import { notNull, object, type TSchema } from '../../../src/api/declare/words.ts'

interface Word {
  type?: string
  enum?: readonly string[]
  maxLength?: number
  maximum?: number
  maxItems?: number
  items?: Word
}

/** What makes requests to a world dear. */
export interface Riches {
  /** Values of parameters in paths, by the beginning of the path and their name. The first that fits is taken. */
  inPath: readonly (readonly [path: string, name: string, value: string])[]
  /** Values for lists, by the path and the name of the parameter. */
  lists: Readonly<Record<string, readonly string[]>>
  /** Words that many posts have, the most frequent first. */
  words: readonly string[]
  nowMs: number
}

/** A request as it is sent, but for its credentials. */
export interface DearRequest {
  path: string
  headers: Record<string, string>
  body?: string | Buffer
  form?: Record<string, string>
}

export type DearBody = Omit<DearRequest, 'path'>

type Values = Record<string, unknown>

/** A query may have fewer than 33 alternatives. */
const ALTERNATIVES = 32
const DAY_MS = 86_400_000

/** A whole hour so many days ago. */
const hourAgo = (nowMs: number, days: number) => `${new Date(nowMs - days * DAY_MS).toISOString().slice(0, 13)}:00:00Z`

/** Parameters whose dearest value no declaration tells. */
const known: Record<string, (riches: Riches, word: Word, endpoint: Endpoint) => unknown> = {
  query: ({ words }, _, { name }) => (name === 'searchSpaces' ? 'x' : words.slice(0, ALTERNATIVES).join(' OR ')),
  keywords: ({ words }, { maxItems }) => words.slice(0, maxItems),
  granularity: (_, word) => (word.enum!.includes('minute') ? 'minute' : 'HOUR'),
  max_results: (_, { maximum }) => maximum,
  count: (_, { maximum }) => maximum,
  with_total_count: () => true,
  with_deleted: () => true,
  include_legacy_cards: () => true,
}

const isShape = (name: string, { items }: Word) => items?.enum !== undefined && /fields$|^expansions$/.test(name)

/** The value of a parameter that makes an answer long; undefined for one that narrows it, and may be left out. */
function dearestValue(name: string, schema: TSchema, endpoint: Endpoint, riches: Riches): unknown {
  const word = notNull(schema).word as Word
  const { path, method, example } = endpoint
  if (isShape(name, word)) return word.items!.enum
  if (method === 'GET' && known[name]) return known[name](riches, word, endpoint)
  const values = riches.lists[`${path} ${name}`]
  if (values) return values.slice(0, word.maxItems)
  const { required = [] } = object(endpoint.params) as { required?: string[] }
  if (path.startsWith('/12/') && method === 'GET' && name === 'start_time') return hourAgo(riches.nowMs, 7)
  if (path.startsWith('/12/') && method === 'GET' && name === 'end_time') return hourAgo(riches.nowMs, 0)
  return method === 'GET' && !required.includes(name) ? undefined : example[name]
}

/** The parameters of the dearest request of an endpoint, derived from its declaration: everything that makes an answer long at its maximum. */
export function dearestValues(endpoint: Endpoint, riches: Riches): Values {
  const { params, pathNames, path, example } = endpoint
  const inPath = (name: string) => riches.inPath.find(([start, of]) => of === name && path.startsWith(start))?.[2] ?? example[name]
  const values = Object.entries(params).map(([name, word]) => [
    name,
    pathNames.includes(name) ? inPath(name) : dearestValue(name, word, endpoint, riches),
  ])
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

const asText = (values: Values): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : String(value)]))

/** The dearest request of an endpoint. `bodies` are those that no declaration tells, by the name of their endpoint. */
export function dearestRequest(endpoint: Endpoint, riches: Riches, bodies: Readonly<Record<string, () => DearBody>>): DearRequest {
  const { place, rawBody, name, pathNames } = endpoint
  const values = dearestValues(endpoint, riches)
  const path = endpoint.path.replace(/:(\w+)/g, (_, placeholder) => encodeURIComponent(String(values[placeholder])))
  const own = bodies[name]
  if (own) return { path, ...own() }
  const rest = Object.fromEntries(Object.entries(values).filter(([parameter]) => !pathNames.includes(parameter)))
  if (place === 'body' || rawBody)
    return { path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(rawBody ? rawBody.example : rest) }
  const form = asText(rest)
  const text = new URLSearchParams(form).toString()
  if (place === 'form') return { path, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: text, form }
  return { path: text === '' ? path : `${path}?${text}`, headers: {} }
}
