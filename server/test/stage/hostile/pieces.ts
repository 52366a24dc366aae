import { METHODS } from 'node:http'
import { gzipSync } from 'node:zlib'
import { hostileJson } from './texts.ts'

/** Verbs, and words that are none. */
export const verbs = [...METHODS, 'get', 'FOO', 'G ET', '', 'GET\u0000', 'PRI', 'POST/2']

/** What may stand in a path where it should not. */
export const pathPieces = [
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

/** Request targets of every form. */
export const targets = [
  '*',
  '/',
  'http://elsewhere.example/2/webhooks',
  'HTTP://user:pw@elsewhere/1.1/x',
  'elsewhere:443',
  '//2/webhooks',
  '/healthz',
  '',
]

/** Parts of a query. */
export const queryPieces = [
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

/** Media types, and texts that are none. */
export const contentTypes = [
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

/** Headers that are added, some of them no headers at all. */
export const otherHeaders: [string, string][] = [
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

const SIGNED_WITH_NUL =
  'OAuth oauth_consumer_key="%00", oauth_token="%00", oauth_nonce="x", oauth_signature="x", oauth_signature_method="HMAC-SHA1", oauth_timestamp="1"'

/** Broken credentials. */
export const credentials = [
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
  ...[
    `Basic ${base64('%00:secret-one-of-the-tests')}`,
    `Basic ${base64('key-one-of-the-tests:\u0000')}`,
    `Basic ${base64('key-one-of-the-tests:%')}`,
    `Basic ${base64('🐚:🐚')}`,
  ],
  ...[`Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`, 'OAuth oauth_token="x"', SIGNED_WITH_NUL, 'Digest a=b', 'Negotiate'],
]

/** Bodies that are texts. */
export const bodies = [
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
    'client_id=%2500',
    '{"a":1,"a":2}',
    '{"\\u0061":1,"a":2}',
    '{"__proto__":{}}',
    '<xml/>',
    '{,}',
  ],
  ...hostileJson,
].map((text) => Buffer.from(text))

/** Bodies that are no texts. */
export const bytes = [
  Buffer.from([0x7b, 0xff, 0x7d]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from('\ufeff{}', 'utf16le'),
  gzipSync('{}'),
  Buffer.alloc(70_000, 'x'),
  Buffer.alloc(1000),
]
