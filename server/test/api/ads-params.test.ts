import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { adsHour, adsId, adsTime, decimalId, long, parseMoment } from '../../src/api/declare/ads-words.ts'
import { noAuth } from '../../src/api/declare/auth.ts'
import { dialects } from '../../src/api/declare/dialect.ts'
import type { Endpoint } from '../../src/api/declare/endpoint.ts'
import { Problem } from '../../src/api/declare/problem.ts'
import { mutuallyExclusive, requires } from '../../src/api/declare/rules.ts'
import { boolean, commaList, defaulting, integer, listOf, nullable, object, oneOf, optional, text } from '../../src/api/declare/words.ts'
import { adsEndpoint } from '../../src/api/records/ads-endpoint.ts'
import type { Long } from '../../src/lib/numbers.ts'
import { writeExactJson } from '../../src/lib/numbers.ts'
import { parameterReader } from '../stage/read-parameters.ts'

const declared = (method: 'GET' | 'POST') =>
  adsEndpoint({
    name: 'x',
    route: `${method} /12/accounts/:account_id/x/:thing_id`,
    section: '',
    summary: '',
    auth: noAuth,
    params: {
      account_id: adsId(),
      thing_id: adsId(),
      count: defaulting(integer({ min: 1, max: 10 }), 5),
      deep: optional(boolean()),
      status: optional(oneOf(['ON', 'OFF'])),
      kinds: optional(commaList(oneOf(['A', 'B']))),
      start_time: optional(nullable(adsTime())),
      hour: optional(adsHour()),
      budget_local_micro: optional(nullable(long({ min: 1 }))),
      post_ids: optional(listOf(decimalId(), { max: 3 })),
      note: optional(text({ min: 1, max: 5 })),
      post_note: optional(text()),
      other_id: optional(adsId()),
      mode: optional(text()),
    },
    rules: [mutuallyExclusive('note', 'mode'), requires('deep', 'status')],
    data: text(),
    handle: async () => ({ data: '' }),
  }) as unknown as Endpoint

const FORM = 'application/x-www-form-urlencoded'
const PATH = { account_id: '18ce54d4x5t', thing_id: '7' }

/** One whose parameters stand in a JSON body. */
const withJson = adsEndpoint({
  name: 'y',
  route: 'POST /12/accounts/:account_id/cards',
  section: '',
  summary: '',
  auth: noAuth,
  body: 'json',
  params: {
    account_id: adsId(),
    name: text({ max: 5 }),
    start_time: optional(nullable(adsTime())),
    post_ids: optional(listOf(decimalId())),
    budgets: optional(listOf(long({ min: 1 }))),
    components: optional(listOf(object({ type: oneOf(['MEDIA', 'BUTTON']), media_id: optional(adsId()) }), { max: 2 })),
  },
  data: text(),
  handle: async () => ({ data: '' }),
}) as unknown as Endpoint

/** One that checks the record as a whole. */
const deferring = adsEndpoint({
  name: 'z',
  route: 'PUT /12/accounts/:account_id/x/:thing_id',
  section: '',
  summary: '',
  auth: noAuth,
  params: { account_id: adsId(), thing_id: adsId(), status: optional(oneOf(['ON', 'OFF'])), note: optional(text({ max: 5 })) },
  deferredRules: [{ message: 'none' }],
  data: text(),
  handle: async () => ({ data: '' }),
}) as unknown as Endpoint

interface Sent {
  endpoint?: Endpoint
  method?: 'GET' | 'POST'
  query?: string
  body?: string
  type?: string
  path?: Record<string, string>
  dialect?: 'spec' | 'x'
}

const read = ({ endpoint, method = 'POST', query = '', body, type = FORM, path = PATH, dialect = 'spec' }: Sent) => {
  const { echo, ...understood } = parameterReader(
    endpoint ?? declared(method),
    dialects[dialect],
  )({
    method,
    target: '/',
    query,
    pathParams: path,
    headers: { 'content-type': type },
    body: body === undefined ? null : Buffer.from(body),
    remoteAddress: '',
  })
  return { ...understood, echo: echo() }
}

const aPut = { method: 'PUT', target: '/', pathParams: PATH, headers: {}, body: null, remoteAddress: '' } as const

const problemOf = (sent: Sent): Problem => {
  try {
    read(sent)
  } catch (error) {
    assert.ok(error instanceof Problem, String(error))
    return error
  }
  throw new Error('nothing was refused')
}

/** The mistakes of a refusal: code, parameter, words. */
const mistakesOf = (sent: Sent) =>
  problemOf(sent).members.errors!.map(({ code = 'INVALID_PARAMETER', parameters, message }) => [
    code,
    Object.keys(parameters ?? {})[0],
    message,
  ])

const echoOf = (sent: Sent): Record<string, unknown> => {
  const { account_id, thing_id, ...echo } = read(sent).echo
  assert.deepEqual({ account_id, thing_id }, PATH)
  return echo
}

suite('parameters of the advertising hosts', () => {
  test('parameters are echoed as they were sent, with unknown ones and letter case, and no others', () => {
    const query = 'count=3&deep=TRUE&status=ON&kinds=A%2C%20B&budget_local_micro=9007199254740991&other_id=8U94T&Nothing=A+b'
    const { params, echo } = read({ query })
    const understood = {
      ...PATH,
      count: 3,
      deep: true,
      status: 'ON',
      kinds: ['A', 'B'],
      budget_local_micro: 9_007_199_254_740_991,
    }
    assert.deepEqual(params, { ...understood, other_id: '8u94t' })
    assert.deepEqual(echo, { ...understood, other_id: '8U94T', Nothing: 'A b' })
    assert.deepEqual(echoOf({}), {})
    assert.equal(read({}).params.count, 5)
  })

  test('path ids are echoed as they were sent; another parameter of the same name is not', () => {
    const path = { account_id: '18CE54D4X5T', thing_id: 'aBc' }
    const { params, echo } = read({ path, query: 'account_id=other&thing_id=&id=7' })
    assert.deepEqual([params.account_id, params.thing_id], ['18ce54d4x5t', 'abc'])
    assert.deepEqual(echo, { ...path, id: '7' })
  })

  test('credentials are not echoed', () => {
    const endpoint = { ...declared('POST'), auth: { ...noAuth, isCredential: (name: string) => name.startsWith('oauth_') } } as Endpoint
    assert.deepEqual(read({ endpoint, query: 'oauth_token=secret&count=2&oauth=1' }).echo, { ...PATH, count: 2, oauth: '1' })
  })

  test('a repeated value in a list counts once and is echoed twice', () => {
    const { params, echo } = read({ query: 'kinds=B,A,%20B,A&post_ids=07,7,8' })
    assert.deepEqual(
      [params.kinds, params.post_ids],
      [
        ['B', 'A'],
        ['7', '8'],
      ],
    )
    assert.equal(JSON.stringify([echo.kinds, echo.post_ids]), '[["B","A","B","A"],[7,7,8]]')
  })

  test('an id beyond 2^53 is echoed exactly', () => {
    const { params, echo } = read({ query: 'post_ids=822333526255120384,9223372036854775807' })
    assert.deepEqual(params.post_ids, ['822333526255120384', '9223372036854775807'])
    assert.equal(JSON.stringify(echo), '{"account_id":"18ce54d4x5t","thing_id":"7","post_ids":[822333526255120384,9223372036854775807]}')
  })

  test('a long has 64 bits, in text and in JSON, and is echoed exactly; beyond that it is rejected with the bounds', () => {
    const longs = ['1', '9007199254740991', '9007199254740992', '9007199254740993', '9223372036854775806', '9223372036854775807']
    const readJson = (long: string) =>
      read({ endpoint: withJson, type: 'application/json', body: `{"name":"One","budgets":[${long}]}`, path })
    const path = { account_id: 'abc' }
    for (const long of longs) {
      const { params, echo } = read({ query: `budget_local_micro=00${long}` })
      assert.equal(String(params.budget_local_micro), long)
      assert.match(writeExactJson(echo), new RegExp(`"budget_local_micro":${long}}$`))
      assert.deepEqual(String(readJson(long).params.budgets), long)
    }
    const values = longs.map((long) => read({ query: `budget_local_micro=${long}` }).params.budget_local_micro as Long)
    assert.deepEqual(
      values.toSorted((a, b) => (a < b ? 1 : -1)),
      values.toReversed(),
    )
    for (const none of ['0', '-1', '-9223372036854775809', '9223372036854775808', '9'.repeat(40)]) {
      const says = `Expected a value between 1 and 9223372036854775807, got "${none}" for budget_local_micro`
      assert.deepEqual(mistakesOf({ query: `budget_local_micro=${none}` }), [['INVALID_PARAMETER', 'budget_local_micro', says]])
      assert.throws(() => readJson(none), Problem)
    }
    for (const none of ['1e17', '9007199254740993.0', '"5"', 'true']) assert.throws(() => readJson(none), Problem)
  })

  test('in a JSON body, a large number that is not a long is parsed as a double', () => {
    const body = '{"name":"One","budgets":[1],"components":[{"type":"MEDIA","media_id":9007199254740993}],"other":9007199254740993}'
    const sent = { endpoint: withJson, type: 'application/json', body, path: { account_id: 'abc' } }
    assert.deepEqual(mistakesOf(sent), [
      ['INVALID_PARAMETER', 'components', 'Expected an id, got "9007199254740992" for components.0.media_id'],
    ])
  })

  test('a time is accepted in every documented format', () => {
    const written: Record<string, string> = {
      '2018-02-01': '2018-02-01T00:00:00Z',
      '2018-02-01T10:20:30Z': '2018-02-01T10:20:30Z',
      '2018-02-01T10:20:30.999Z': '2018-02-01T10:20:30Z',
      '2018-02-01T10:20Z': '2018-02-01T10:20:00Z',
      '2018-02-01T01:20:30+0200': '2018-01-31T23:20:30Z',
      '2018-02-01T01:20:30+02:00': '2018-01-31T23:20:30Z',
      '2018-02-01T20:20:30-07': '2018-02-02T03:20:30Z',
      '2020-02-29T00:00:00z': '2020-02-29T00:00:00Z',
    }
    for (const [sent, understood] of Object.entries(written)) {
      const { params, echo } = read({ body: new URLSearchParams({ start_time: sent }).toString() })
      assert.deepEqual([params.start_time, echo.start_time], [understood, understood], sent)
    }
    for (const none of [
      '2019-02-29',
      '2018-13-01',
      '2018-02-01T25:00:00Z',
      '1969-12-31',
      'now',
      '2018-2-1',
      '2018-02-01 10:20:30',
      '2018-02-01T10:20:30',
      ' 2018-02-01',
    ])
      assert.equal(parseMoment(none), undefined, none)
  })

  test('an invalid time is rejected, also if it looks like one in a response', () => {
    for (const none of [
      '2026-02-30T10:00:00Z',
      '2026-13-45T99:99:99Z',
      '2026-12-01T23:59:60Z',
      '0000-00-00T00:00:00Z',
      '1969-12-31T10:00:00Z',
    ])
      assert.deepEqual(mistakesOf({ query: `start_time=${none}` }), [
        ['INVALID_PARAMETER', 'start_time', `Expected time, got "${none}" for start_time`],
      ])
    for (const none of ['2026-02-30T10:00:00Z', '2026-03-01T10:30:00Z', '2026-03-01T10:00:00.999Z'])
      assert.deepEqual(mistakesOf({ query: `hour=${none}` }), [
        ['INVALID_PARAMETER', 'hour', `Expected time in whole hours, got "${none}" for hour`],
      ])
    assert.deepEqual(mistakesOf({ query: 'hour=2026-11-21T10:00:00%2B05:30' }), [
      ['INVALID_PARAMETER', 'hour', 'Expected time in whole hours, got "2026-11-21T10:00:00+05:30" for hour'],
    ])
    assert.equal(read({ query: 'hour=2026-03-01T10:00:00.000%2B02:00' }).params.hour, '2026-03-01T08:00:00Z')
  })

  test('an empty value clears a nullable field, and is invalid for all others', () => {
    const { params, echo } = read({ body: 'start_time=&budget_local_micro=' })
    assert.deepEqual([params.start_time, params.budget_local_micro], [null, null])
    assert.deepEqual(echo, { ...PATH, start_time: null, budget_local_micro: null })
    assert.deepEqual(
      mistakesOf({ body: 'note=&count=' })
        .map(([code, parameter]) => [code, parameter])
        .sort(),
      [
        ['INVALID_PARAMETER', 'count'],
        ['INVALID_PARAMETER', 'note'],
      ],
    )
  })

  test('parameters can be in the query, in a form, or in both', () => {
    for (const sent of [{ query: 'count=2&note=ab' }, { body: 'count=2&note=ab' }, { query: 'count=2', body: 'note=ab' }])
      assert.deepEqual(echoOf(sent), { count: 2, note: 'ab' }, JSON.stringify(sent))
    assert.deepEqual(echoOf({ method: 'GET', query: 'count=2&note=a+b' }), { count: 2, note: 'a b' })
    for (const twice of [{ query: 'count=2&count=2' }, { body: 'count=2&count=3' }, { query: 'count=2', body: 'count=2' }])
      assert.deepEqual(mistakesOf(twice)[0]!.slice(1), ['count', 'Duplicate parameters are not allowed: the `count` form parameter'])
  })

  test('a list in both of its spellings is merged; any other parameter in both is an error', () => {
    const { params, echo } = read({ query: 'post_ids=1,2&tweet_ids=2,3' })
    assert.deepEqual(params.post_ids, ['1', '2', '3'])
    assert.equal(JSON.stringify([echo.post_ids, echo.tweet_ids]), '[[1,2],[2,3]]')
    assert.deepEqual(mistakesOf({ query: 'post_note=a&tweet_note=b' }), [
      ['EXCLUSIVE_PARAMETERS', 'tweet_note', 'post_note and tweet_note are one parameter'],
    ])
  })

  test('a repeated parameter is an error like others; an unknown one may be repeated', () => {
    const problem = problemOf({ query: 'count=1&count=2&status=AWAY&other_id=7' })
    assert.deepEqual(Object.keys(Object.assign({}, ...problem.members.errors!.map(({ parameters }) => parameters))), ['count', 'status'])
    assert.deepEqual(problem.echo, { ...PATH, count: [1, 2], status: 'AWAY', other_id: '7' })
    assert.deepEqual(mistakesOf({ query: 'nothing=a%00b' }), [
      ['INVALID_PARAMETER', 'nothing', 'The `nothing` form parameter holds U+0000.'],
    ])
    assert.deepEqual(echoOf({ query: 'nothing=1&nothing=2&post_ids[]=1&post_ids[]=2&count=2' }), {
      nothing: ['1', '2'],
      'post_ids[]': ['1', '2'],
      count: 2,
    })
  })

  test('a body of another type is 415, unless it is empty', () => {
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x'])
      assert.deepEqual(
        [problemOf({ body: '{"count":2}', type }).status, echoOf({ body: '', query: 'count=2', type })],
        [415, { count: 2 }],
        type,
      )
    assert.deepEqual(echoOf({ body: 'count=2', type: `${FORM}; charset=UTF-8` }), { count: 2 })
  })

  test('a message has a value as it was sent', () => {
    assert.deepEqual(mistakesOf({ query: 'count=0011&kinds=A,C' }), [
      ['INVALID_PARAMETER', 'count', 'Expected a value between 1 and 10, got "0011" for count'],
      ['INVALID_PARAMETER', 'kinds', 'Expected a value in A, B, got "C" for kinds'],
    ])
  })

  test('all errors are reported at once with the messages of public practice; wrong values are echoed as they were sent', () => {
    const query = 'count=11&deep=maybe&status=AWAY&kinds=A,C,D,D&start_time=soon&budget_local_micro=1.5&note=toolong&other_id=7'
    assert.deepEqual(mistakesOf({ query }).sort(), [
      ['INVALID_PARAMETER', 'budget_local_micro', 'Expected Long, got "1.5" for budget_local_micro (in micros: 1000000 is 1.00)'],
      ['INVALID_PARAMETER', 'count', 'Expected a value between 1 and 10, got "11" for count'],
      ['INVALID_PARAMETER', 'deep', 'Expected boolean, got "maybe" for deep'],
      ['INVALID_PARAMETER', 'kinds', 'Expected a value in A, B, got "C" for kinds'],
      ['INVALID_PARAMETER', 'note', 'Expected a text of between 1 and 5 characters, got "toolong" for note'],
      ['INVALID_PARAMETER', 'start_time', 'Expected time, got "soon" for start_time'],
      ['INVALID_PARAMETER', 'status', 'Expected a value in ON, OFF, got "AWAY" for status'],
    ])
    assert.deepEqual(problemOf({ query }).echo, {
      ...PATH,
      count: 11,
      deep: 'maybe',
      status: 'AWAY',
      kinds: ['A', 'C', 'D', 'D'],
      start_time: 'soon',
      budget_local_micro: '1.5',
      note: 'toolong',
      other_id: '7',
    })
    for (const none of ['1e3', '0x10', '--1', '5.0', '+5', ' 5', '9'.repeat(301)])
      assert.deepEqual(mistakesOf({ query: `budget_local_micro=${none}` })[0]?.[0], 'INVALID_PARAMETER', none)
  })

  test('a JSON body is checked with the same types, and not echoed', () => {
    const type = 'application/json'
    const readJson = (body: unknown) => read({ endpoint: withJson, type, body: JSON.stringify(body), path: { account_id: 'ABC' } })
    const components = [{ type: 'MEDIA', media_id: 'XYZ' }]
    const { params, echo } = readJson({ name: 'One', start_time: '2026-03-01', tweet_ids: ['007'], components, id: 'ignored' })
    assert.deepEqual(params, {
      account_id: 'abc',
      name: 'One',
      start_time: '2026-03-01T00:00:00Z',
      post_ids: ['7'],
      components: [{ type: 'MEDIA', media_id: 'xyz' }],
    })
    assert.deepEqual(echo, { account_id: 'ABC' })
    assert.equal(readJson({ name: 'One', start_time: null }).params.start_time, null)
    const beside = read({ endpoint: withJson, type, body: '{"name":"One"}', query: 'name=Two&trace=7', path: { account_id: 'abc' } })
    assert.deepEqual([beside.params.name, beside.echo], ['One', { account_id: 'abc', name: 'Two', trace: '7' }])
  })

  test('all errors of a JSON body are reported at once, with their paths', () => {
    const type = 'application/json'
    const refused = (body: string, sentType = type) => ({ endpoint: withJson, type: sentType, body, path: { account_id: 'abc' } })
    const components = [{ type: 'VIDEO' }, { media_id: 5, odd: 1 }]
    const body = JSON.stringify({ name: 7, start_time: '2026-02-30T00:00:00Z', tweet_ids: ['x', 'y'], components })
    assert.deepEqual(mistakesOf(refused(body)).sort(), [
      ['INVALID_PARAMETER', 'components', 'Expected a value in MEDIA, BUTTON, got "VIDEO" for components.0.type'],
      ['INVALID_PARAMETER', 'components', 'Expected an id, got "5" for components.1.media_id'],
      ['INVALID_PARAMETER', 'components', 'Expected nothing called odd, got "{"media_id":5,"odd":1}" for components'],
      ['INVALID_PARAMETER', 'name', 'Expected a text, got "7" for name'],
      ['INVALID_PARAMETER', 'start_time', 'Expected time, got "2026-02-30T00:00:00Z" for start_time'],
      ['INVALID_PARAMETER', 'tweet_ids', 'Expected Long, got "x" for tweet_ids'],
      ['MISSING_PARAMETER', 'components', '"components.1.type" is a required parameter'],
    ])
    assert.deepEqual(mistakesOf(refused('{}')), [['MISSING_PARAMETER', 'name', '"name" is a required parameter']])
    assert.deepEqual(problemOf(refused('{}')).echo, { account_id: 'abc' })
    assert.deepEqual(mistakesOf(refused('null')), [['INVALID_PARAMETER', undefined, '$: null found, object expected']])
    for (const none of ['[]', '{', '"x"', '{"name":"a","name":"b"}']) assert.equal(problemOf(refused(none)).status, 400, none)
    assert.equal(problemOf(refused('name=One', FORM)).status, 415)
  })

  test('a violated rule between parameters is reported with its code', () => {
    assert.deepEqual(mistakesOf({ query: 'note=a&mode=b&deep=true' }), [
      ['EXCLUSIVE_PARAMETERS', 'note', 'at most one of note, mode may be set'],
      ['INCLUSIVE_PARAMETERS', 'status', 'status is required when deep is set'],
    ])
  })

  test('a deferred error is dropped if the existing value was sent, and reported otherwise; either way the value is echoed', () => {
    const reading = () => parameterReader(deferring)({ ...aPut, query: 'status=FORMER&note=good' })
    const { params, deferred, echo } = reading()
    assert.deepEqual(params, { ...PATH, note: 'good' })
    deferred.against({ status: 'FORMER' }).throwWith()
    assert.deepEqual(echo(), { ...PATH, status: 'FORMER', note: 'good' })
    const other = reading()
    assert.throws(() => other.deferred.against({ status: 'ON' }).throwWith(), Problem)
    assert.deepEqual(other.echo(), { ...PATH, status: 'FORMER', note: 'good' })
  })

  test('ids are accepted in either case; an impossible id in the path is 404', () => {
    const { params } = read({ path: { account_id: '18CE54D4X5T', thing_id: 'ABC' }, query: 'other_id=XyZ' })
    assert.deepEqual([params.account_id, params.thing_id, params.other_id], ['18ce54d4x5t', 'abc', 'xyz'])
    for (const thing_id of ['a-b', 'é', '', 'a'.repeat(33), '../x']) {
      const problem = problemOf({ path: { ...PATH, thing_id } })
      assert.deepEqual([problem.status, problem.members.errors?.[0]?.code], [404, 'INVALID_ID_ILLEGAL_CHARACTERS'], thing_id)
    }
  })

  test("both spellings are accepted in either dialect; echo and messages have the client's", () => {
    for (const dialect of ['spec', 'x'] as const)
      for (const name of ['post_ids', 'tweet_ids']) {
        const { params, echo } = read({ query: `${name}=12`, dialect })
        assert.deepEqual(params.post_ids, ['12'])
        assert.deepEqual(Object.keys(echo).slice(2), [name])
        const [mistake] = mistakesOf({ query: `${name}=x`, dialect })
        assert.deepEqual(mistake, ['INVALID_PARAMETER', name, `Expected Long, got "x" for ${name}`])
        const wrong = problemOf({ query: `${name}=x,7,${'9'.repeat(21)}`, dialect }).echo!
        assert.equal(JSON.stringify(Object.values(wrong)[2]), `["x",7,"${'9'.repeat(21)}"]`)
      }
  })
})
