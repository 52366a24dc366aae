import type { Endpoint } from '../../../src/api/declare/endpoint.ts'
import { hostLimits, USUAL_BODY_BYTES, USUAL_VALUES } from '../../../src/api/declare/host-limits.ts'
import type { DearRequest } from './dearest-request.ts'

/** What makes a text dear to whoever reads it, when it is repeated as often as fits: parts of everything that texts are searched for. */
const pieces: readonly string[] = [
  ...'a 90-.,:=&;*+|?/()[{}"\'\\%@#$\n\t\0',
  ...['a ', 'a,', '1,', '../', '\r\n', '( ', '(a OR ', '-(', '{"a":', '<a ', '</', '<!--', '&amp;', '&#', '"a ', '%4', '%41'],
  ...['a OR ', 'OR ', '-a ', '"a b" ', 'from:a ', 'url:a.bc ', 'is:x ', 'lang:', 'a:b '],
  ...['http://a.bc/ ', 'http://', 'https://a.bc/?', '://', '//', 'a.bc ', 'a.', 'a.com', 'xn--a.', 'x@a.bc '],
  ...['@a ', '#a ', '#日', '$A ', '0x', '1e', '00:', '2026-01-01T00:00:00Z,', '1.1.1.1,', '1.0 USD'],
  ...['\u0301', 'a\u0301', '\u0301\u0323', '\u1100\u1161\u11a8', '\uac00', '\u3099', '\ufdfa', '\ufb03', 'ß', 'İ', 'é'],
  ...['👩\u200d', '👩\u200d👩', '🇦', '🏽', '#\ufe0f\u20e3', '😀', '\u0e44', '\u0e44 ', '日本', '日 ', 'が'],
  ...['\u200b', '\u202e', '\u00ad', '\ufeff'],
]

/** A request and what is strange about it. */
interface StrangeRequest {
  name: string
  request: DearRequest
}

/** Twice what a body may usually have: to sign more takes the client long, and many need to be signed. */
const MOST_BYTES = 2 * USUAL_BODY_BYTES
/** Of a target or a header, beside the rest of a request's head. */
const HEAD_BYTES = hostLimits.headerBytes - 2000
/** Of the members and signs around a text in a body. */
const AROUND_BYTES = 200

const JSON_TYPE = { 'content-type': 'application/json' }
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' }

const timesThatFit = (pieceBytes: number, bytes: number) => Math.max(1, Math.floor(bytes / pieceBytes))

/** As long as it may be once it is encoded, in a path, a query or a form. */
const encodedText = (piece: string, bytes: number) =>
  piece.repeat(timesThatFit(new URLSearchParams({ '': piece }).toString().length - 1, bytes))
const pathText = (piece: string) => encodeURIComponent(piece).repeat(timesThatFit(encodeURIComponent(piece).length, HEAD_BYTES))
const jsonText = (piece: string, bytes: number) => piece.repeat(timesThatFit(Buffer.byteLength(JSON.stringify(piece)) - 2, bytes))
/** A header holds bytes, and no control characters. */
const headerText = (piece: string) => {
  const sent = Buffer.from(piece)
    .toString('latin1')
    .replace(/[\x00-\x1f\x7f]/g, ' ')
  return sent.repeat(timesThatFit(sent.length, HEAD_BYTES / 2))
}

/** So many values fit in a JSON body, and as many as it may have. */
const repeated = (value: string, bytes: number, most: number) =>
  Array.from({ length: Math.min(most, timesThatFit(value.length + 1, bytes)) }, () => value).join()
const members = (bytes: number, most: number) =>
  Array.from({ length: Math.min(most, timesThatFit(9, bytes)) }, (_, n) => `"${n.toString(36)}":0`).join()

/** Nearly as many values as a body may usually have, and as many as fit. */
const MANY = USUAL_VALUES - 100
const TOO_MANY = Number.POSITIVE_INFINITY

/** JSON texts that are dear by their shape. More values than a body may have are left where the operator's own services may send any number. */
const shapesOf = (bytes: number, mostValues = USUAL_VALUES): [name: string, json: string][] => [
  ['open lists', '['.repeat(bytes)],
  ['open objects', '{"a":'.repeat(bytes / 5)],
  ['a number', '9'.repeat(bytes)],
  ['a power', `1e${'9'.repeat(bytes - 2)}`],
  ['a fraction', `0.${'9'.repeat(bytes - 2)}`],
  ['spaces', `{${' '.repeat(bytes - 2)}}`],
  ['escapes', `"${'\\u0061'.repeat(bytes / 6 - 1)}"`],
  ['open backslashes', `"${'\\\\'.repeat(bytes / 2 - 1)}`],
  ['surrogates', `"${'\\ud800'.repeat(bytes / 6 - 1)}"`],
  ['an open text', `{"a":"${'a'.repeat(bytes - 6)}`],
  ...(mostValues > USUAL_VALUES ? [MANY] : [MANY, TOO_MANY]).flatMap((most): [string, string][] => [
    [`${most} numbers`, `[${repeated('0', bytes - 2, most)}]`],
    [`${most} objects`, `[${repeated('{}', bytes - 2, most)}]`],
    [`${most} members`, `{${members(bytes - 2, most)}}`],
    [`${most} equal members`, `{${repeated('"a":0', bytes - 2, most)}}`],
    [`${most} texts`, `[${repeated('"a"', bytes - 2, most)}]`],
    [`${most} nested lists`, `${'['.repeat(60)}${repeated('[]', bytes - 120, most)}${']'.repeat(60)}`],
  ]),
]

/** What has been asked of an endpoint needs not be asked of others that take it in the same way. */
export type Asked = Set<string>

function isNew(asked: Asked, ...what: unknown[]): boolean {
  const key = JSON.stringify(what)
  if (asked.has(key)) return false
  asked.add(key)
  return true
}

const HEADERS = ['accept', 'accept-encoding', 'accept-language', 'content-type', 'cookie', 'if-none-match', 'idempotency-key']
const PROXY_HEADERS = ['origin', 'range', 'traceparent', 'tracestate', 'user-agent', 'x-forwarded-for', 'x-request-id']
const SCHEMES = ['Bearer ', 'Basic ', 'OAuth ', 'OAuth oauth_token="', 'OAuth a="b", ']

/** Requests whose credentials and other headers are strange. */
function* inHeaders(path: string): Generator<StrangeRequest> {
  for (const piece of pieces) {
    const text = headerText(piece)
    for (const scheme of SCHEMES)
      yield { name: `${scheme}${JSON.stringify(piece)}`, request: { path, headers: { authorization: scheme + text } } }
    const encoded = Buffer.from(piece.repeat(timesThatFit(Buffer.byteLength(piece), HEAD_BYTES / 2))).toString('base64')
    yield { name: `Basic of ${JSON.stringify(piece)}`, request: { path, headers: { authorization: `Basic ${encoded}` } } }
    for (const header of [...HEADERS, ...PROXY_HEADERS])
      yield { name: `${header}: ${JSON.stringify(piece)}`, request: { path, headers: { [header]: text } } }
    const boundary = `multipart/form-data; boundary=${text}`
    yield { name: `boundary ${JSON.stringify(piece)}`, request: { path, headers: { 'content-type': boundary } } }
  }
  const many = Array.from({ length: 900 }, (_, n) => `a${n}="b"`).join(', ')
  yield { name: 'many parameters of OAuth', request: { path, headers: { authorization: `OAuth ${many}` } } }
}

const urlEncoded = (values: Record<string, string>) => new URLSearchParams(values).toString()
const inQuery = (path: string, values: Record<string, string>) => ({ path: `${path}?${urlEncoded(values)}`, headers: {} })
const inForm = (path: string, form: Record<string, string>) => ({ path, headers: FORM_TYPE, body: urlEncoded(form), form })
const inJson = (path: string, body: string) => ({ path, headers: JSON_TYPE, body })

/** What is put where a parameter stands, as JSON. */
function* asJson(bytes: number, mostValues: number): Generator<[name: string, json: string]> {
  for (const piece of pieces) {
    const text = JSON.stringify(jsonText(piece, bytes))
    yield [JSON.stringify(piece), text]
    yield [`[${JSON.stringify(piece)}]`, `[${text}]`]
    yield [`{ text: ${JSON.stringify(piece)} }`, `{"text":${text}}`]
  }
  yield* shapesOf(bytes, mostValues)
}

/**
 * Requests to an endpoint as large as they may be, and strange: each parameter long, in every place where it is read; credentials, headers,
 * and bodies whose shape is dear. `values` are parameters that are right, `asked` is what others were asked.
 */
export function* strangeRequests(endpoint: Endpoint, values: Record<string, unknown>, asked: Asked): Generator<StrangeRequest> {
  const { place, params, pathNames, bodyLimitBytes, area, auth, isQueryRead } = endpoint
  const textOf = (name: string) => (Array.isArray(values[name]) ? values[name].join() : String(values[name]))
  const pathWith = (name?: string, text?: string) =>
    endpoint.path.replace(/:(\w+)/g, (_, at) => (at === name ? text! : encodeURIComponent(textOf(at))))
  const path = pathWith()
  const names = Object.keys(params).filter((name) => !pathNames.includes(name))
  const rest = Object.keys(values).filter((name) => names.includes(name))
  const texts = Object.fromEntries(rest.map((name) => [name, textOf(name)]))
  const around = urlEncoded(texts).length + AROUND_BYTES
  const bytes = Math.min(bodyLimitBytes, MOST_BYTES)

  if (isNew(asked, area, auth.name, place)) {
    yield* inHeaders(path)
    yield { name: 'an empty query', request: { path: `${path}?${'&'.repeat(HEAD_BYTES)}`, headers: {} } }
    yield { name: 'a query of escapes', request: { path: `${path}?${'%61=%62&'.repeat(HEAD_BYTES / 8)}`, headers: {} } }
    if (place !== 'query')
      for (const [name, body] of shapesOf(bytes))
        yield { name: `a form: ${name}`, request: { path, headers: FORM_TYPE, body, form: Object.fromEntries(new URLSearchParams(body)) } }
  }
  for (const name of pathNames)
    if (isNew(asked, area, 'path', params[name]))
      for (const piece of pieces)
        yield { name: `${name} in the path: ${JSON.stringify(piece)}`, request: { path: pathWith(name, pathText(piece)), headers: {} } }
  for (const name of names) {
    if (!isNew(asked, area, place, isQueryRead, bytes, name, params[name])) continue
    for (const piece of pieces) {
      const named = `${name}: ${JSON.stringify(piece)}`
      const text = (most: number) => ({ ...texts, [name]: encodedText(piece, most - around) })
      if (place === 'query' || isQueryRead) yield { name: named, request: inQuery(path, text(HEAD_BYTES)) }
      if (place === 'form') yield { name: named, request: inForm(path, text(bytes)) }
    }
    if (place !== 'body') continue
    const others = rest.filter((other) => other !== name).map((other) => `${JSON.stringify(other)}:${JSON.stringify(values[other])},`)
    const room = bytes - others.join('').length - AROUND_BYTES
    for (const [what, json] of asJson(room, endpoint.mostValues))
      yield { name: `${name}: ${what}`, request: inJson(path, `{${others.join('')}${JSON.stringify(name)}:${json}}`) }
  }
  if (place === 'body' || place === 'raw')
    for (const [name, body] of shapesOf(bytes, endpoint.mostValues)) yield { name, request: inJson(path, body) }
}
