import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dialects } from '../../src/api/declare/dialect.ts'
import type { Endpoint } from '../../src/api/declare/endpoint.ts'
import { Problem } from '../../src/api/declare/problem.ts'
import { object } from '../../src/api/declare/words.ts'
import { badTextIn, parseJson } from '../../src/api/read/json.ts'
import { assertWellFormed, parseUrlEncoded } from '../../src/api/read/url-encoded.ts'
import { cases } from '../stage/cases.ts'
import { compileCheck } from '../stage/compile-check.ts'
import { endpoints } from '../stage/hostile/valid-requests.ts'
import { compileParams } from '../stage/read-parameters.ts'

function parseTextParams(source: string, place: 'query' | 'form'): Map<string, string> {
  const parsed = parseUrlEncoded(source, place)
  assertWellFormed(parsed)
  return parsed.values
}

/** What a function answers, or the Problem that it throws; anything else that it throws fails the test. */
function outcome<T>(run: () => T): { value: T } | { problem: Problem } {
  try {
    return { value: run() }
  } catch (error) {
    assert.ok(error instanceof Problem, String((error as Error).stack))
    return { problem: error }
  }
}

type Tree =
  | { kind: 'leaf'; source: string; isBad: boolean }
  | { kind: 'list'; items: Tree[] }
  | { kind: 'object'; members: [name: string, tree: Tree][] }

const oddText = fc.array(fc.constantFrom('a', 'b', '"', '\\', ':', '{', '[', '\u0000', '\ud83d', '\udc1a', '🐚', '\n', 'é'), {
  maxLength: 3,
})
const texts = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'a:', '"', '{') },
  { weight: 1, arbitrary: oddText.map((pieces) => pieces.join('')) },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor') },
)

/** A text as JSON: lone surrogates and every other character escaped or not, by its place. */
const write = (text: string) =>
  `"${[...text]
    .map((character, place) =>
      place % 2 === 0
        ? JSON.stringify(character).slice(1, -1)
        : [...character]
            .flatMap((each) => each.split(''))
            .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
            .join(''),
    )
    .join('')}"`

const isBadText = (text: string) => text.includes('\u0000') || !text.isWellFormed()

const leaf = fc.oneof(
  texts.map((text): Tree => ({ kind: 'leaf', source: write(text), isBad: isBadText(text) })),
  fc.constantFrom('null', 'true', '0', '-0.5e1', '12345678901234567890').map((source): Tree => ({ kind: 'leaf', source, isBad: false })),
  fc.constantFrom('1e999', '-1e400').map((source): Tree => ({ kind: 'leaf', source, isBad: true })),
)

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('tree'), { maxLength: 3 }).map((items): Tree => ({ kind: 'list', items })),
    fc.array(fc.tuple(texts, tie('tree')), { maxLength: 3 }).map((members): Tree => ({ kind: 'object', members })),
  ),
}))

const sourceOf = (node: Tree): string => {
  if (node.kind === 'leaf') return node.source
  if (node.kind === 'list') return `[ ${node.items.map(sourceOf).join(' ,')}]`
  return `{${node.members.map(([name, inner]) => `${write(name)} : ${sourceOf(inner)}`).join(',\n')}}`
}

/** Whether a text holds what is declared to be refused. */
const isRefusable = (node: Tree): boolean => {
  if (node.kind === 'leaf') return node.isBad
  if (node.kind === 'list') return node.items.some(isRefusable)
  const names = node.members.map(([name]) => name)
  const isBadName = (name: string) => name === '__proto__' || name.includes('\\') || isBadText(name)
  return new Set(names).size < names.length || names.some(isBadName) || node.members.some(([, inner]) => isRefusable(inner))
}

test('strict JSON accepts what JSON.parse accepts, except for the documented cases, and returns the same value', () => {
  fc.assert(
    fc.property(tree, (node) => {
      const source = sourceOf(node)
      const found = outcome(() => parseJson(Buffer.from(source)))
      assert.equal('problem' in found, isRefusable(node), source)
      if ('value' in found) assert.deepEqual(found.value, JSON.parse(source))
    }),
    { numRuns: cases(200, 1000) },
  )
})

test('a text that JSON.parse rejects is rejected', () => {
  const broken = fc.tuple(tree, fc.nat(), fc.constantFrom('', '"', '\\', '{', ']', ':', ',', '0', '\ufeff', '/'))
  fc.assert(
    fc.property(broken, ([node, at, piece]) => {
      const whole = sourceOf(node)
      const place = at % (whole.length + 1)
      const source = (whole.slice(0, place) + piece + whole.slice(place + 1)).toWellFormed()
      const found = outcome(() => parseJson(Buffer.from(source)))
      if ('value' in found) assert.deepEqual(found.value, JSON.parse(source.replace(/^\ufeff/, '')))
    }),
    { numRuns: cases(200, 1000) },
  )
})

test('64 levels of nesting are accepted and 65 rejected, however the text continues', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const nested = (levels: number) => Buffer.from(`${open.repeat(levels)}1${close.repeat(levels)}`)
    assert.ok('value' in outcome(() => parseJson(nested(64))))
    assert.ok('problem' in outcome(() => parseJson(nested(65))))
    assert.ok('problem' in outcome(() => parseJson(Buffer.from(open.repeat(1_000_000)))))
  }
})

test('only what is within counts as nested, not what stands beside', () => {
  for (const pieces of [Array(65).fill('[]'), Array(65).fill('{"a":{}}')])
    assert.ok('value' in outcome(() => parseJson(Buffer.from(`[${pieces.join()}]`))))
})

test('as many lists and objects as a body may have are accepted, and one more is rejected', () => {
  const ofThree = Buffer.from('[{"a":[]}]')
  assert.ok('value' in outcome(() => parseJson(ofThree, { mostContainers: 3 })))
  assert.ok('problem' in outcome(() => parseJson(ofThree, { mostContainers: 2 })))
})

test('a body has at most 10,000 values, lists and objects, or what its endpoint allows', () => {
  const message = (source: string, most?: number) => {
    const found = outcome(() => parseJson(Buffer.from(source), most === undefined ? {} : { mostValues: most }))
    return 'problem' in found ? found.problem.members.errors![0]!.message : undefined
  }
  for (const item of ['1', '{}', '"a,b"']) {
    // The list is a value too.
    const listOf = (count: number) =>
      `[${Array(count - 1)
        .fill(item)
        .join()}]`
    const most = item === '{}' ? 5000 : 10_000
    assert.equal(message(listOf(most)), undefined, item)
    assert.match(message(listOf(most + 2))!, /^The request body has more than 10000 values\.$/, item)
  }
  const objectOf = (count: number) => `{${Array.from({ length: count - 1 }, (_, n) => `"${n}":1`).join()}}`
  assert.equal(message(objectOf(10_000)), undefined)
  assert.match(message(objectOf(10_002))!, /10000 values/)
  assert.equal(message('[1,2]', 2), undefined)
  assert.match(message('[1,2,3]', 2)!, /more than 2 values/)
})

test('a query or form has at most 1,000 parameters', () => {
  const ofMany = (count: number) => Array.from({ length: count }, (_, n) => `p${n}=`).join('&')
  for (const place of ['query', 'form'] as const) {
    assert.equal(parseTextParams(ofMany(1000), place).size, 1000)
    const found = outcome(() => parseTextParams(ofMany(1001), place))
    assert.ok('problem' in found)
    assert.deepEqual(
      found.problem.members.errors!.map(({ message }) => message),
      [`The ${place} has more than 1000 parameters.`],
    )
  }
})

test('U+0000, lone surrogates and __proto__ are rejected however they are written', () => {
  const rejected = [
    ...['"\\u0000"', '{"a\\u0000":1}', '["\\ud83d"]', '{"\\udc1a":1}'],
    ...['{"__proto__":1}', '[{"a":{"__proto__":{}}}]', '{"\\u005f_proto__":1}'],
  ]
  for (const source of rejected) assert.ok('problem' in outcome(() => parseJson(Buffer.from(source))), source)
})

test('a name with a backslash is rejected before anybody parses it', () => {
  const parsed: string[] = []
  const parse = (source: string) => parsed.push(source)
  for (const source of ['{"a\\\\b":1}', '{"a\\u005cb" :1}'])
    assert.ok('problem' in outcome(() => parseJson(Buffer.from(source), { parse })), source)
  assert.deepEqual(parsed, [])
})

test('what not every database keeps is found in names and in texts', () => {
  const found = [{ 'a\u0000': 1 }, { a: ['b\u0000'] }, { '\ud83d': 1 }, { a: '\ud83d' }, { a: ['🐚', 1n] }].map(badTextIn)
  assert.deepEqual(found, ['the character U+0000', 'the character U+0000', 'a lone surrogate', 'a lone surrogate', undefined])
})

test('a text of any length without a limit on escapes is parsed', () => {
  const body = (escaped: string) => Buffer.from(`{"a":"${escaped.repeat(5_000_000)}"}`)
  for (const escaped of ['\\n', '\\"']) assert.ok('value' in outcome(() => parseJson(body(escaped))))
})

const names = fc.oneof(fc.constantFrom('a', 'b', 'é', '🐚', '__proto__', 'a b', 'a+b', 'a&b=c', '%', ''), fc.string())

test('text parameters are parsed as they were written, and a repeated or broken one is an error', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(names, names)), (pairs) => {
      const source = pairs.map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join('=')).join('&')
      const found = outcome(() => parseTextParams(source, 'query'))
      const said = pairs.map(([name]) => name)
      const isRepeated = new Set(said).size < said.length
      const isRefusable = isRepeated || said.includes('__proto__') || pairs.flat().some((text) => text.includes('\u0000'))
      assert.equal('problem' in found, isRefusable)
      if ('value' in found) assert.deepEqual([...found.value], pairs)
    }),
  )
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('%', '0', 'f', 'c', '&', '=', '+', 'a', '\u00e9') }), (source) => {
      for (const text of Object.values(outcome(() => [...parseTextParams(source, 'form')]))) assert.ok(text)
    }),
  )
})

const hostile = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('', '0', '-1', '007', '1e3', '99999999999999999999', 'x'.repeat(300), '🐚'.repeat(201), 1e300, -0, 2 ** 53, true, [[]]),
)

/** Values near what an endpoint declares: its example, with some members of another kind, missing, or unknown. */
const nearly = ({ example, params }: Endpoint) =>
  fc
    .record({
      replaced: fc.dictionary(fc.constantFrom(...Object.keys(params), 'unknown'), hostile, { maxKeys: 3 }),
      missing: fc.subarray(Object.keys(example)),
    })
    .map(({ replaced, missing }) => {
      const kept = Object.entries({ ...example, ...replaced }).filter(([name]) => !missing.includes(name))
      return Object.fromEntries(kept) as Record<string, unknown>
    })

const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()

function requestOf({ place, pathNames, method }: Endpoint, values: Record<string, unknown>) {
  const inPath = new Set(pathNames)
  const rest = Object.entries(values).filter(([name]) => !inPath.has(name))
  const text = rest.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(textOf(value))}`).join('&')
  return {
    method,
    target: '/',
    query: place === 'query' ? text : '',
    pathParams: Object.fromEntries(pathNames.map((name) => [name, textOf(values[name])])),
    headers: { 'content-type': place === 'form' ? 'application/x-www-form-urlencoded' : 'application/json' },
    body: place === 'query' ? null : Buffer.from(place === 'form' ? text : JSON.stringify(Object.fromEntries(rest))),
    remoteAddress: '',
  }
}

/** A sentence about the whole body or query names no parameter. */
const ABOUT_ALL = /^(The request body|The (query|form) parameter text|\$: )/

for (const endpoint of endpoints)
  test(`${endpoint.name}: accepted requests match the declaration, and rejected ones name the violated rule`, () => {
    const check = compileCheck(object(endpoint.params))
    const compiled = Object.values(dialects).map((dialect) => compileParams(endpoint, dialect))
    fc.assert(
      fc.property(nearly(endpoint), fc.constantFrom(...compiled), (values, paramsOf) => {
        const found = outcome(() => paramsOf(requestOf(endpoint, values)))
        if ('value' in found) return assert.equal(check(found.value), undefined)
        const { errors = [] } = found.problem.members
        assert.ok(errors.length > 0)
        for (const { message, parameters = {} } of errors) {
          assert.ok(message.length > 5 && message.isWellFormed(), message)
          assert.ok(Object.keys(parameters).length > 0 || ABOUT_ALL.test(message), message)
        }
      }),
      { numRuns: cases(25, 150) },
    )
  })
