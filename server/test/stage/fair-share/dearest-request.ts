import type { Endpoint } from '../../../src/api/declare/endpoint.ts'
import { notNull, type TSchema } from '../../../src/api/declare/words.ts'

interface Word {
  type?: string
  enum?: unknown[]
  maxLength?: number
  maximum?: number
  maxItems?: number
  pattern?: string
  items?: Word
  examples?: unknown[]
}

/** What a world has most of: the values that make a request dear. `ids` are keys by the name of their parameter, the richest first. */
export interface Riches {
  /** Values of parameters that stand in a path, by the beginning of the path and their name. */
  inPath: readonly [path: string, name: string, value: string][]
  /** Keys for lists of keys, by the name of the parameter. */
  ids: Readonly<Record<string, readonly string[]>>
  /** Words that many posts have. */
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

/** A query may have so many of OR. */
const MOST_ALTERNATIVES = 30

const DAY_MS = 86_400_000

/** As many words as the query may be long, each of which many posts have. */
function longestQuery(words: readonly string[], length: number): string {
  let query = ''
  for (const word of words.slice(0, MOST_ALTERNATIVES)) if (`${query} OR ${word}`.length <= length) query = query === '' ? word : `${query} OR ${word}`
  return query
}

/** Parameters that only narrow an answer, or contradict those that make it long. */
const NARROWING =
  /^(pagination_token|next_token|cursor|since_id|until_id|start_time|end_time|exclude|after|before|backfill_minutes|event_types|webhook_id|event_uuid|state|app_id|valid|user_id|username|item_group_key|permission_scope|with_active|status|path|event_type|wait|entity_type|entity_id|user|card_types|creative_types|media_type|timeline_type|post_type|location|negative_keywords|q|card_uris|force_login|screen_name|oauth_callback|delivery)$/

const isIds = (name: string) => /ids?$|_keys?$|usernames$|uris$/.test(name)

function dearestValue(name: string, schema: TSchema, { example, path }: Endpoint, { ids, words, nowMs }: Riches): unknown {
  const word = notNull(schema).word as Word
  if (name === 'query') return longestQuery(words, Math.min(word.maxLength ?? 512, 512))
  if (name === 'granularity') return word.enum!.includes('minute') ? 'minute' : 'HOUR'
  if (name === 'keywords') return words.slice(0, word.maxItems)
  if (name === 'max_results' || name === 'count') return word.maximum
  if (name === 'with_total_count' || name === 'with_deleted' || name === 'include_legacy_cards') return word.type === 'boolean' || undefined
  if (word.items?.enum && /fields$|^expansions$/.test(name)) return word.items.enum
  const keys = ids[name === 'ids' ? ({ '/2/posts': 'post_ids', '/2/users': 'user_listed', '/2/spaces': 'spaces' }[path] ?? name) : name]
  if (word.maxItems !== undefined && keys) return keys.slice(0, word.maxItems)
  if (NARROWING.test(name) && (example[name] === undefined || /_time$|^(start|end)/.test(name))) return undefined
  void nowMs
  return example[name]
}

/** The parameters of the dearest request of an endpoint, as its declaration and the world have them: everything at its maximum. */
export function dearestValues(endpoint: Endpoint, riches: Riches): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, word] of Object.entries(endpoint.params)) {
    const value = endpoint.pathNames.includes(name)
      ? (riches.inPath.find(([path, of]) => of === name && endpoint.path.startsWith(path))?.[2] ?? endpoint.example[name])
      : dearestValue(name, word, endpoint, riches)
    if (value !== undefined) values[name] = value
  }
  const hour = (ms: number) => `${new Date(ms).toISOString().slice(0, 13)}:00:00Z`
  if (endpoint.name === 'listAccountHistory') Object.assign(values, { start_time: hour(riches.nowMs - 20 * DAY_MS), end_time: hour(riches.nowMs) })
  if (endpoint.name === 'searchKeywords') {
    Object.assign(values, { start_time: hour(riches.nowMs - 7 * DAY_MS), end_time: hour(riches.nowMs) })
  }
  // The list of accounts and its like is longest where no keys choose from it.
  if (endpoint.area === 'ads' && endpoint.method === 'GET') for (const name of Object.keys(values)) if (isIds(name) && !endpoint.pathNames.includes(name) && name !== 'card_uris') delete values[name]
  if (values.count !== undefined && values.with_total_count) delete values.cursor
  return values
}

const asText = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : String(value)]))

/** Writes a request. `bodies` are those of endpoints with large ones, by their name. */
export function dearestRequest(endpoint: Endpoint, riches: Riches, bodies: Readonly<Record<string, () => Omit<DearRequest, 'path'>>>): DearRequest {
  const values = dearestValues(endpoint, riches)
  const inPath = new Set(endpoint.pathNames)
  const rest = Object.fromEntries(Object.entries(values).filter(([name]) => !inPath.has(name)))
  const path = endpoint.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(values[name])))
  const own = bodies[endpoint.name]
  if (own) return { path, ...own() }
  const json = { 'content-type': 'application/json' }
  if (endpoint.place === 'body') return { path, headers: json, body: JSON.stringify(rest) }
  if (endpoint.rawBody) return { path, headers: json, body: JSON.stringify(endpoint.rawBody.example) }
  const form = asText(rest)
  const text = new URLSearchParams(form).toString()
  if (endpoint.place === 'form') return { path, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: text, form }
  return { path: text ? `${path}?${text}` : path, headers: {} }
}
