import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { noAuth } from '../../src/api/declare/auth.ts'
import { type Endpoint, endpoint } from '../../src/api/declare/endpoint.ts'
import { Problem } from '../../src/api/declare/problem.ts'
import { atLeastOneOf, exactlyOne, mutuallyExclusive, requires } from '../../src/api/declare/rules.ts'
import {
  boolean,
  commaList,
  defaulting,
  duration,
  id,
  integer,
  listOf,
  mapOf,
  matching,
  nullable,
  object,
  oneOf,
  optional,
  type Params,
  text,
} from '../../src/api/declare/words.ts'
import { parseJson } from '../../src/api/read/json.ts'
import { compileParams } from '../stage/read-parameters.ts'

const declare = (
  route: 'GET /2/x/:item_id' | 'POST /2/x' | 'POST /oauth2/x',
  params: Params,
  rules: Parameters<typeof endpoint>[0]['rules'] = [],
) =>
  compileParams(
    endpoint({
      name: 'x',
      route,
      section: '',
      summary: '',
      auth: noAuth,
      params,
      rules,
      answer: object({}),
      handle: async () => ({}),
    }) as unknown as Endpoint,
  )

const request = (more: { query?: string; body?: string; pathParams?: Record<string, string>; type?: string }) => ({
  method: 'GET',
  target: '/',
  query: more.query ?? '',
  pathParams: more.pathParams ?? {},
  headers: { 'content-type': more.type ?? 'application/json' },
  body: more.body === undefined ? null : Buffer.from(more.body),
  remoteAddress: '',
})

const refusal = (run: () => unknown): Problem => {
  try {
    run()
  } catch (error) {
    assert.ok(error instanceof Problem, String(error))
    return error
  }
  throw new Error('nothing was refused')
}

const mistakes = (run: () => unknown): string[] => refusal(run).members.errors!.map(({ message }) => message)

test('text is converted to the declared type, and defaults are filled in', () => {
  const params = declare('GET /2/x/:item_id', {
    item_id: id(),
    count: defaulting(integer({ min: 1, max: 10 }), 5),
    deep: optional(boolean()),
    kinds: optional(commaList(oneOf(['a', 'b']))),
  })
  assert.deepEqual(params(request({ query: 'deep=true&kinds=a%2Cb', pathParams: { item_id: '7' } })), {
    item_id: '7',
    count: 5,
    deep: true,
    kinds: ['a', 'b'],
  })
})

test('all errors are reported at once, each with its parameter and its rule', () => {
  const params = declare('GET /2/x/:item_id', {
    item_id: id(),
    count: integer({ min: 1, max: 10 }),
    kinds: commaList(oneOf(['a', 'b'])),
    q: text({ max: 3 }),
  })
  assert.deepEqual(mistakes(() => params(request({ query: 'count=11&kinds=c&extra=1', pathParams: { item_id: 'seven' } }))).sort(), [
    'The `count` query parameter value [11] is not between 1 and 10',
    'The `item_id` query parameter value [seven] does not match ^[0-9]{1,19}$',
    'The `kinds` query parameter value [c] is not one of [a,b]',
    'The `q` query parameter can not be empty',
    'The query parameter [extra] is not one of [count,kinds,q]',
  ])
})

test('a text parameter has one error, worded as public practice does, with the whole value as it was sent', () => {
  const params = declare('GET /2/x/:item_id', {
    item_id: id(),
    max_results: optional(integer({ min: 5, max: 100 })),
    ids: optional(commaList(id(), { max: 3 })),
    fields: optional(commaList(oneOf(['id', 'text']))),
    deep: optional(boolean()),
    q: optional(text()),
  })
  const errorOf = (query: string) => {
    const error = refusal(() => params(request({ query, pathParams: { item_id: '7' } })))
    assert.equal(error.members.errors?.length, 1, query)
    return error.members.errors![0]
  }
  const between = (value: string) => ({
    message: `The \`max_results\` query parameter value [${value}] is not between 5 and 100`,
    parameters: { max_results: [value] },
  })
  for (const value of ['4', '101', '004', '-1', 'many', '1e2', '9'.repeat(20)])
    assert.deepEqual(errorOf(`max_results=${value}`), between(value))
  assert.deepEqual(errorOf('fields=id,bad,text,worse'), {
    message: 'The `fields` query parameter value [bad,worse] is not one of [id,text]',
    parameters: { fields: ['id,bad,text,worse'] },
  })
  assert.deepEqual(errorOf('ids=1,x'), { message: 'The `ids` query parameter value [x] is not valid', parameters: { ids: ['1,x'] } })
  assert.deepEqual(errorOf('deep=yes'), {
    message: 'The `deep` query parameter value [yes] is not one of [true,false]',
    parameters: { deep: ['yes'] },
  })
  for (const name of ['ids', 'q', 'max_results'])
    assert.deepEqual(errorOf(`${name}=`), { message: `The \`${name}\` query parameter can not be empty`, parameters: { [name]: [''] } })
  assert.deepEqual(errorOf('extra=1'), {
    message: 'The query parameter [extra] is not one of [max_results,ids,fields,deep,q]',
    parameters: { extra: ['1'] },
  })
})

test('a JSON body that is null, a list, a text or a number gets a sentence', () => {
  const params = declare('POST /2/x', { name: text() })
  for (const [body, kind] of [
    ['null', 'null'],
    ['[]', 'array'],
    ['"x"', 'string'],
    ['7', 'number'],
    ['true', 'boolean'],
  ])
    assert.deepEqual(
      mistakes(() => params(request({ body }))),
      [`$: ${kind} found, object expected`],
    )
})

test('errors in a body have a path, and its unknown members a name', () => {
  const params = declare('POST /2/x', { name: text({ max: 3 }), nested: object({ n: integer() }) })
  assert.deepEqual(mistakes(() => params(request({ body: '{"nested":{"n":"1","m":2},"other":1}' }))).sort(), [
    '$.name: is missing but it is required',
    '$.nested.m: is not defined in the schema and the schema does not allow additional properties',
    '$.nested.n: string found, integer expected',
    '$.other: is not defined in the schema and the schema does not allow additional properties',
  ])
})

test('a whole number that JSON has no exact number for is refused wherever it stands', () => {
  const nested = object({ n: integer(), counts: listOf(integer({ min: 0 })), by_name: mapOf(nullable(integer({ min: 1 }))) })
  const params = declare('POST /2/x', { nested })
  const sent = (number: string) => params(request({ body: `{"nested":{"n":${number},"counts":[${number}],"by_name":{"x":${number}}}}` }))
  assert.deepEqual(sent('9007199254740991').nested, {
    n: 9007199254740991,
    counts: [9007199254740991],
    by_name: { x: 9007199254740991 },
  })
  for (const number of ['9007199254740992', '100000000000000000000', '1e30'])
    assert.deepEqual(
      mistakes(() => sent(number)).filter((message) => message.endsWith('must be at most 9007199254740991')),
      ['$.nested.n', '$.nested.counts.0', '$.nested.by_name.x'].map((place) => `${place}: must be at most 9007199254740991`),
    )
  assert.ok(mistakes(() => sent('-1e30')).includes('$.nested.n: must be at least -9007199254740991'))
})

test('a misspelt member of a body is answered with the nearest, as the dialect writes it', () => {
  const unknown = 'is not defined in the schema and the schema does not allow additional properties'
  const words = { text: optional(text()), quote_post_id: optional(text()), nested: optional(object({ duration: integer() })) }
  const saidOf = (body: string) => mistakes(() => declare('POST /2/x', words)(request({ body })))
  assert.deepEqual(saidOf('{"txt":"Hello"}'), [`$.txt: ${unknown}. Did you mean text?`])
  assert.deepEqual(saidOf('{"quote_pots_id":"1"}'), [`$.quote_pots_id: ${unknown}. Did you mean quote_post_id?`])
  assert.deepEqual(saidOf('{"nested":{"duration":1,"durations":2}}'), [`$.nested.durations: ${unknown}. Did you mean duration?`])
})

test('a text in the wrong format is rejected with a plain message where the type has one, and with its pattern otherwise', () => {
  const words = { wait: duration(), from: optional(matching('^[0-9]{4}$', { mustBe: 'a year like 2026' })), code: matching('^[a-z]$', {}) }
  const body = '{"wait":"soon","from":"x","code":"7"}'
  assert.deepEqual(
    mistakes(() => declare('POST /2/x', words)(request({ body }))),
    ['wait must be a duration such as 90s, 5m or 1h', 'from must be a year like 2026', '$.code: does not match the regex pattern ^[a-z]$'],
  )
  assert.deepEqual(
    mistakes(() =>
      declare('GET /2/x/:item_id', { item_id: id(), wait: duration() })(request({ query: 'wait=1', pathParams: { item_id: '7' } })),
    ),
    ['The `wait` query parameter value [1] must be a duration such as 90s, 5m or 1h'],
  )
})

test('an empty body with a JSON content type is no body', () => {
  assert.deepEqual(declare('POST /2/x', { name: optional(text()) })(request({ body: '' })), {})
})

test('a repeated parameter, broken percent-encoding and U+0000 are rejected in a query and in a form', () => {
  for (const [params, place] of [
    [declare('GET /2/x/:item_id', { item_id: id(), a: optional(text()) }), 'query'],
    [declare('POST /oauth2/x', { a: optional(text()) }), 'form'],
  ] as const) {
    const refuse = (query: string) => mistakes(() => params(request({ query, pathParams: { item_id: '1' } })))[0]
    assert.equal(refuse('a=1&a=2'), `Duplicate parameters are not allowed: the \`a\` ${place} parameter`)
    for (const broken of ['a=%', 'a=%zz', 'a=%ff', '%E0%A4%A=1']) assert.match(refuse(broken)!, /not valid percent-encoded UTF-8/)
    for (const broken of ['a=%00', 'a=b%00c', '%00=1']) assert.match(refuse(broken)!, /parameter holds U\+0000/)
  }
})

test('lengths count characters, not code units', () => {
  const params = declare('POST /2/x', { name: text({ max: 3 }) })
  assert.deepEqual(params(request({ body: '{"name":"🐚🐚🐚"}' })), { name: '🐚🐚🐚' })
})

test('rules between parameters are checked both ways and describe themselves', () => {
  const words = { a: optional(text()), b: optional(text()), c: optional(text()) }
  const holds = (rule: ReturnType<typeof requires>, body: object) => {
    const params = declare('POST /2/x', words, [rule])
    try {
      params(request({ body: JSON.stringify(body) }))
      return true
    } catch {
      assert.deepEqual(
        mistakes(() => params(request({ body: JSON.stringify(body) }))),
        [`${rule.message}.`],
      )
      return false
    }
  }
  const cases: [ReturnType<typeof requires>, object[], object[]][] = [
    [requires('a', 'b'), [{}, { b: '1' }, { a: '1', b: '1' }], [{ a: '1' }]],
    [atLeastOneOf('a', 'b'), [{ a: '1' }, { b: '1' }, { a: '1', b: '1' }], [{}, { c: '1' }]],
    [exactlyOne('a', 'b'), [{ a: '1' }, { b: '1' }], [{}, { a: '1', b: '1' }]],
    [mutuallyExclusive('a', 'b'), [{}, { a: '1' }, { b: '1' }], [{ a: '1', b: '1' }]],
  ]
  for (const [rule, right, wrong] of cases) {
    for (const body of right) assert.ok(holds(rule, body), `${rule.message}: ${JSON.stringify(body)}`)
    for (const body of wrong) assert.ok(!holds(rule, body), `${rule.message}: ${JSON.stringify(body)}`)
  }
})

test('strict JSON accepts what JSON.parse accepts, except for the documented cases', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const source = JSON.stringify(value)
      const refusable = /\\\\|\\u0000|__proto__/.test(source) || !JSON.stringify(value).isWellFormed() || /\\ud[89a-f]/i.test(source)
      try {
        assert.deepEqual(parseJson(Buffer.from(source)), JSON.parse(source))
      } catch (error) {
        assert.ok(refusable && error instanceof Problem, String(error))
      }
    }),
  )
})

test('a member name that is written with escapes is read as written, whatever was read before', () => {
  assert.throws(() => parseJson(Buffer.from(String.raw`{"x":1,"\\u00":2}`)), /a member name with a backslash/)
  assert.deepEqual(parseJson(Buffer.from(String.raw`{"x":1,"\u00e9tat":2}`)), { x: 1, état: 2 })
  JSON.parse(String.raw`{"y":1,"\\":2}`)
  assert.throws(() => parseJson(Buffer.from(String.raw`{"y":1,"\"":2,"\"":3}`)), /a member name with a backslash|repeats a member name/)
})

test('strict JSON returns a value or a problem for any bytes', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.string().map((text) => Buffer.from(text)),
      ),
      (bytes) => {
        try {
          parseJson(Buffer.from(bytes))
        } catch (error) {
          assert.ok(error instanceof Problem, String(error))
        }
      },
    ),
  )
})

test('a repeated member name is found at any depth and in any spelling', () => {
  for (const source of ['{"a":{"b":1,"b":2}}', '[{"a":1,"\\u0061":1}]', '{"a":[{"x":"\\"x\\":1","x":2}]}'])
    assert.throws(() => parseJson(Buffer.from(source)), /repeats a member name/)
  assert.deepEqual(parseJson(Buffer.from('{"a":"b\\":","c":{"a":1}}')), { a: 'b":', c: { a: 1 } })
})

test('a parameter of the path is not taken from a body', () => {
  const params = compileParams(
    endpoint({
      name: 'x',
      route: 'PUT /2/x/:item_id',
      section: '',
      summary: '',
      auth: noAuth,
      params: { item_id: id() },
      answer: object({}),
      handle: async () => ({}),
    }) as unknown as Endpoint,
  )
  assert.deepEqual(
    mistakes(() => params(request({ body: '{"item_id":"8"}', pathParams: { item_id: '7' } }))),
    ['$.item_id: is a path parameter and must not be in the body'],
  )
})
