import { METHODS } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Random } from './random.ts'
import { hostileJson, hostileTexts } from './texts.ts'
import type { RequestParts } from './valid-requests.ts'

/** One way to break a request. */
export type Mutation = (parts: RequestParts, random: Random) => void

const verbs = [...METHODS, 'get', 'FOO', 'G ET', '', 'GET\u0000', 'PRI', 'POST/2']

const pathPieces = [
  ...[
    '%',
    '%zz',
    '%ff',
    '%00',
    '%2e%2e',
    '%2F',
    '%F0%9F%90%9A',
    '%ED%A0%80',
    '%C0%80',
    '//',
    '/',
    '/..',
    '/./',
    ';a=b',
    '#part',
    '\\',
    '*',
    ' ',
  ],
  ...['\u00e9', '\u00ff', 'x'.repeat(2000), '/1.1/', '?', '??', '%25', ':webhook_id', '+', '~', '|', '{}', '"', '<>'],
]

const targets = [
  '*',
  '/',
  'http://elsewhere.example/2/webhooks',
  'HTTP://user:pw@elsewhere/1.1/x',
  'elsewhere:443',
  '//2/webhooks',
  '/healthz',
  '',
]

const queryPieces = [
  ...[
    'a=%',
    'a=%zz',
    'a=%ff',
    'a=%00',
    '%00=a',
    '%ED%A0%80=1',
    '&&&',
    '=',
    '=&=',
    'a',
    'a=1&a=1',
    '__proto__=1',
    'constructor=1',
    'a[b]=c',
  ],
  ...['a=\u00e9', 'a=1#part', `a=${'x'.repeat(5000)}`, Array.from({ length: 500 }, (_, place) => `n${place}=1`).join('&'), '%'.repeat(300)],
  ...[
    'max_results=0',
    'max_results=1e3',
    'max_results=-1',
    'ids=,',
    'ids=1,1',
    `ids=${'1,'.repeat(2000)}1`,
    'webhook_config.fields=url,url',
  ],
]

const contentTypes = [
  ...[
    'text/plain',
    'application/json',
    'application/JSON; charset=utf-16',
    'application/json; charset=latin1',
    'application/json;;;',
    'json',
  ],
  ...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/xml', '', ' ', '/', '\u00ff', 'a/b/c', '*/*'],
  ...[`application/json; a="${'x'.repeat(300)}"`, 'application/json, text/plain', 'application/problem+json'],
]

const otherHeaders: [string, string][] = [
  ...(
    ['Expect', 'Upgrade', 'Range', 'If-Match', 'If-None-Match', 'Accept', 'Accept-Version', 'Cookie', 'X-Forwarded-Proto'] as const
  ).flatMap((name) => ['100-continue', 'tea', '\u00ff', '', '*'].map((value): [string, string] => [name, value])),
  ...[['Connection', 'close'] as const, ['Connection', 'upgrade'] as const, ['Content-Encoding', 'gzip'] as const].map(
    ([name, value]): [string, string] => [name, value],
  ),
  ['X-HTTP-Method-Override', 'DELETE'],
  ['Transfer-Encoding', 'gzip'],
  ['Host', 'elsewhere.example'],
  ['Authorization', 'Bearer other'],
  ['Content-Type', 'text/plain'],
  ['Space ', 'before colon'],
  ['Folded', 'a\r\n b'],
  ['Nul', 'a\u0000b'],
  ['B\u00e9', 'name'],
  ['', 'no name'],
  ['Bare', 'line\nfeed'],
  ['Large', 'x'.repeat(12_000)],
  ['Too-Large', 'x'.repeat(17_000)],
]

const base64 = (text: string) => Buffer.from(text).toString('base64')

const credentials = [
  ...[
    '',
    ' ',
    'Bearer',
    'Bearer ',
    'Bearer  a b',
    'bearer x',
    'Bearer %',
    'Bearer %00',
    'Bearer \u00ff',
    `Bearer ${'x'.repeat(8000)}`,
    'Token x',
  ],
  ...['Basic', 'Basic !!!', 'Basic ====', `Basic ${base64('no colon')}`, `Basic ${base64(':')}`, `Basic ${base64('\u0000:\u0000')}`],
  ...[`Basic ${base64('%00:secret-one')}`, `Basic ${base64('key-one:\u0000')}`, `Basic ${base64('key-one:%')}`, `Basic ${base64('🐚:🐚')}`],
  ...[`Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`, 'OAuth oauth_token="x"', 'Digest a=b', 'Negotiate'],
]

const bodies = [
  ...[
    '',
    ' ',
    '\ufeff{}',
    '{',
    '{}{}',
    '[]',
    'null',
    '"text"',
    'a=b',
    '{"a":1,"a":2}',
    '{"\\u0061":1,"a":2}',
    '{"__proto__":{}}',
    '<xml/>',
    '{,}',
  ],
  ...hostileJson,
].map((text) => Buffer.from(text))

const bytes = [
  Buffer.from([0x7b, 0xff, 0x7d]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from('\ufeff{}', 'utf16le'),
  gzipSync('{}'),
  Buffer.alloc(70_000, 'x'),
  Buffer.alloc(1000),
]

const header = ({ headers }: RequestParts, name: string) => headers.find(([other]) => other === name)

function setHeader(parts: RequestParts, name: string, value: string) {
  const found = header(parts, name)
  if (found) found[1] = value
  else parts.headers.push([name, value])
}

const bodyText = (parts: RequestParts) =>
  parts.members ? `{${parts.members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}` : (parts.body?.toString() ?? '{}')

/** Writes the members out, so that what follows breaks their bytes. */
function asBytes(parts: RequestParts): Buffer {
  const body = parts.body ?? Buffer.from(bodyText(parts))
  parts.members = undefined
  parts.body = body
  return body
}

const otherValue: Mutation = (parts, random) => {
  if (parts.members?.length) parts.members[random.below(parts.members.length)]![1] = random.pick(hostileJson)
  else parts.query = parts.query.replace(/=[^&]*/, `=${encodeURIComponent(random.pick(hostileTexts))}`)
}

const deepValue: Mutation = (parts, random) => {
  const places = parts.members?.filter(([, json]) => /[[{]/.test(json)) ?? []
  if (places.length === 0) return otherValue(parts, random)
  const member = random.pick(places)
  const inner = [...member[1].matchAll(/"[^"]*"(?!\s*:)|[\d.]+/g)]
  if (inner.length === 0) return
  const { index, 0: found } = random.pick(inner)
  member[1] = member[1].slice(0, index) + random.pick(hostileJson) + member[1].slice(index + found.length)
}

const memberNames = ['a', '', '__proto__', 'constructor', 'a.b', '🐚', 'tweet', 'post', '\u0000', 'id', 'webhook_id', '$ref']

/** Each kind of breakage, as often as it is named. */
export const mutations: readonly Mutation[] = [
  (parts, random) => void (parts.method = random.pick(verbs)),
  (parts, random) => {
    const at = random.below(parts.path.length + 1)
    parts.path = parts.path.slice(0, at) + random.pick(pathPieces) + parts.path.slice(at)
  },
  (parts, random) => void (parts.path = parts.path.replace(/[^/]+$/, encodeURIComponent(random.pick(hostileTexts)))),
  (parts, random) => void (parts.path = random.pick(targets)),
  (parts, random) => void (parts.query = [parts.query, random.pick(queryPieces)].filter(Boolean).join('&')),
  otherValue,
  otherValue,
  deepValue,
  deepValue,
  (parts, random) => void parts.members?.push([random.pick(memberNames), random.pick(hostileJson)]),
  (parts, random) => void parts.members?.splice(random.below(parts.members.length), 1),
  (parts, random) => void parts.members?.push([...random.pick(parts.members.length ? parts.members : [['a', '1'] as [string, string]])]),
  (parts, random) => void parts.headers.push(random.pick(otherHeaders)),
  (parts, random) => void (parts.headers.length > 0 && parts.headers.push([...random.pick(parts.headers)])),
  (parts, random) => void parts.headers.splice(random.below(parts.headers.length), 1),
  (parts) => void parts.headers.push(...Array.from({ length: 900 }, (_, place): [string, string] => [`a${place}`, 'b'])),
  (parts, random) => setHeader(parts, 'Content-Type', random.pick(contentTypes)),
  (parts, random) => setHeader(parts, 'Authorization', random.pick(credentials)),
  (parts, random) => {
    const body = asBytes(parts)
    parts.body = body.subarray(0, random.below(body.length))
  },
  (parts, random) => {
    const body = Buffer.from(asBytes(parts))
    if (body.length > 0) body[random.below(body.length)] = random.below(256)
    parts.body = body
  },
  (parts, random) => {
    parts.members = undefined
    parts.body = random.pick(random.below(2) === 0 ? bodies : bytes)
  },
]
