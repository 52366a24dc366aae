import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { noAuth } from '../../src/api/declare/auth.ts'
import { dialects } from '../../src/api/declare/dialect.ts'
import { type Endpoint, endpoint } from '../../src/api/declare/endpoint.ts'
import { Problem } from '../../src/api/declare/problem.ts'
import { anything, defaulting, id, listOf, object, optional, text } from '../../src/api/declare/words.ts'
import { compileReadInSlices } from '../../src/api/read/reader.ts'
import { publishEvents } from '../../src/endpoints/operator/publish-events.ts'
import { mapInSlices } from '../../src/lib/slices.ts'
import { cases } from '../stage/cases.ts'
import { compileParams } from '../stage/read-parameters.ts'

const MOST = 12
const RUNS = cases(250, 1000)

const lists = endpoint({
  name: 'x',
  route: 'POST /2/x',
  section: '',
  summary: '',
  auth: noAuth,
  slicedList: 'events',
  params: {
    events: optional(listOf(object({ post_id: id(), payload: optional(anything()) }), { max: MOST })),
    note: optional(text()),
    kind: defaulting(text(), 'usual'),
  },
  answer: object({}),
  handle: async () => ({}),
})

const requestOf = (body: Buffer) => ({
  method: 'POST',
  target: '/',
  query: '',
  pathParams: {},
  headers: { 'content-type': 'application/json' },
  body,
  remoteAddress: '',
})

const declared = [lists, publishEvents] as unknown as Endpoint[]
const readers = new Map(declared.map((one) => [one.name, { one, asWhole: compileParams(one, dialects.spec) }]))

/** What a body is read as, as a whole and in slices; undefined where it is refused, or not read in slices. */
async function bothWays({ name }: { name: string }, body: string | Buffer, sliceBytes: number) {
  const { one, asWhole } = readers.get(name)!
  const request = requestOf(Buffer.from(body as string))
  const inSlices = await compileReadInSlices(one, asWhole, 0, sliceBytes)!.read(request)
  try {
    return { asWhole: asWhole(request), inSlices }
  } catch (error) {
    assert.ok(error instanceof Problem, String(error))
    return { asWhole: undefined, inSlices }
  }
}

/** JSON texts of what an item may hold, and some that are none. */
const values = fc.oneof(
  { weight: 3, arbitrary: fc.json({ maxDepth: 3, stringUnit: 'binary' }) },
  fc.constantFrom('"]}"', '"\\"],"', '"\\\\"', '"\\u005d"', '"é🐚"', '{"":[{}]}', '[[],[]]', ' null ', '-0', '1e2', '12345678901234567890'),
  fc.constantFrom('"\\ud83d"', '"\ud83d"', '"\\u0000"', '1e999', '{"__proto__":1}', '{"a":1,"a":2}', '{"a":1,"\\u0061":2}'),
  fc.constantFrom('', ',', '1,', '"', '\\', '[', ']', '{', '}', '[}', '],"events":[', '1]', '01', "'a'", '\ufeff', '\u00a0', '"\n"', '//'),
  fc.nat({ max: 70 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
)

const pads = fc.constantFrom('', '', ' ', '\n', '\r\n\t')
const good = fc.nat().map((number) => `{"post_id":"${number}","payload":{"text":"a, b ] } \\" \\\\"}}`)
const items = fc.oneof(
  { weight: 6, arbitrary: good },
  { weight: 3, arbitrary: values.map((value) => `{"post_id":"1","payload":${value}}`) },
  fc.constantFrom('{"tweet_id":"7"}', '{"tweet_id":"7","post_id":"7"}', '{"post_id":"x"}', '{"post_id":"1","other":1}', '{}', '[]'),
  values,
)

const OPENINGS = ['{"events":[', ' {\n"events" : [ ', '{"\\u0065vents":[', '\ufeff{"events":[', '[', '{"events":', '{"note":"a","events":[']
const CLOSINGS = [']}', ' ] }\n', ']', '}', ']}}', ',]}', '],"note":"a"}', '],"events":[]}', ']}[]', `]${' '.repeat(300)}}`, '}]', '']
const weighted = (texts: string[]) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(texts[0]!) }, { weight: 4, arbitrary: fc.constantFrom(...texts) })

const bodies = fc
  .record({
    opening: weighted(OPENINGS),
    inside: fc.array(fc.tuple(pads, items, pads), { maxLength: MOST + 2 }),
    closing: weighted(CLOSINGS),
  })
  .map(({ opening, inside, closing }) => opening + inside.map((each) => each.join('')).join(',') + closing)

test('a body read in slices gives the same value as a body read whole, and a body that is rejected whole is not read in slices', async () => {
  let compared = 0
  await fc.assert(
    fc.asyncProperty(bodies, fc.integer({ min: 1, max: 200 }), async (body, sliceBytes) => {
      const { asWhole, inSlices } = await bothWays(lists, body, sliceBytes)
      if (inSlices === undefined) return
      assert.deepEqual(inSlices, asWhole)
      compared += 1
    }),
    { numRuns: RUNS },
  )
  assert.ok(compared > 10, `${compared}`)
})

test('a body with a changed, inserted or deleted byte gives the same result', async () => {
  const rest = fc.record({ place: fc.nat(), byte: fc.nat({ max: 255 }), taken: fc.nat({ max: 1 }), put: fc.nat({ max: 1 }) })
  await fc.assert(
    fc.asyncProperty(
      fc.array(good, { maxLength: 5 }),
      rest,
      fc.nat({ max: 99 }),
      async (inside, { place, byte, taken, put }, sliceBytes) => {
        const body = Buffer.from(`{"events":[${inside.join(',')}]}`)
        const at = place % body.length
        const changed = Buffer.concat([body.subarray(0, at), Buffer.from([byte]).subarray(0, put), body.subarray(at + taken)])
        const { asWhole, inSlices } = await bothWays(lists, changed, sliceBytes)
        if (inSlices !== undefined) assert.deepEqual(inSlices, asWhole)
      },
    ),
    { numRuns: RUNS },
  )
})

test('a valid list is read in slices, whatever its items contain and however it is written', async () => {
  const event = fc.record({
    event_type: fc.constant('dm.received'),
    user_id: fc.constant('101'),
    payload: fc.dictionary(
      texts().filter((name) => !name.includes('\\')),
      fc.jsonValue().filter((value) => !/__proto__|\\\\/.test(JSON.stringify(value))),
    ),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1 }), fc.nat({ max: 300 }), fc.constantFrom(0, 2), async (events, sliceBytes, indent) => {
      const { asWhole, inSlices } = await bothWays(publishEvents, JSON.stringify({ events }, undefined, indent), sliceBytes)
      assert.deepEqual(inSlices, asWhole)
      assert.equal((inSlices?.events as unknown[] | undefined)?.length, events.length)
    }),
  )
})

function texts() {
  return fc
    .string({ unit: fc.constantFrom('a', '"', '\\', ',', ':', '[', ']', '{', '}', 'é', '🐚', '\n') })
    .filter((name) => name !== '__proto__')
}

const many = (count: number) => `{"events":[${Array(count).fill('{"post_id":"1"}').join(',')}]}`

const mistaken: Record<string, string> = {
  'too many items': many(MOST + 1),
  'no items': '{"events":[]}',
  'a comma after the last': '{"events":[{"post_id":"1"},]}',
  'a comma before the first': '{"events":[,{"post_id":"1"}]}',
  'two commas': '{"events":[{"post_id":"1"},,{"post_id":"1"}]}',
  'the list twice': '{"events":[{"post_id":"1"}],"events":[{"post_id":"1"}]}',
  'a member before the list': '{"note":"a","events":[{"post_id":"1"}]}',
  'a member after the list': '{"events":[{"post_id":"1"}],"note":"a"}',
  'one more body': '{"events":[{"post_id":"1"}]}{}',
  'no end': '{"events":[{"post_id":"1"}',
  'a parameter in the other spelling too': '{"events":[{"post_id":"1","tweet_id":"1"}]}',
  'an item that is too large for a slice': `{"events":[{"post_id":"1","payload":"${'x'.repeat(1024 * 1024)}"}]}`,
}

for (const [what, body] of Object.entries(mistaken))
  test(`a body is read whole: ${what}`, async () => {
    for (const sliceBytes of [0, 20, 10_000]) assert.equal((await bothWays(lists, body, sliceBytes)).inSlices, undefined)
  })

test('the maximum number of items is read in slices', async () => {
  const { inSlices } = await bothWays(lists, many(MOST), 20)
  assert.deepEqual(inSlices, { events: Array(MOST).fill({ post_id: '1' }), kind: 'usual' })
})

test('only a large body of an endpoint that declares it is read in slices', () => {
  const read = () => ({})
  assert.equal(compileReadInSlices({ ...lists, slicedList: undefined } as unknown as Endpoint, read), undefined)
  const { isFor } = compileReadInSlices(lists as unknown as Endpoint, read)!
  assert.equal(isFor({ ...requestOf(Buffer.alloc(0)), body: null }), false)
  assert.equal(isFor(requestOf(Buffer.alloc(1024 * 1024))), false)
  assert.equal(isFor(requestOf(Buffer.alloc(1024 * 1024 + 1))), true)
})

test('others are let pass after each slice of a body, and of what is made of its items', async () => {
  const body = Buffer.from(`{"events":[${Array(10).fill('{"post_id":"1"}').join()}]}`)
  let passed = 0
  const giveWay = () => {
    passed += 1
    return undefined
  }
  const { one, asWhole } = readers.get('x')!
  const read = await compileReadInSlices(one, asWhole, 0, 20)!.read(requestOf(body), undefined, giveWay)
  assert.deepEqual([(read!.events as unknown[]).length, passed], [10, 5])
  const sizes = await mapInSlices(
    Array(10).fill(64 * 1024),
    (bytes) => bytes,
    (bytes) => bytes,
    giveWay,
  )
  assert.deepEqual([sizes.length, passed], [10, 10])
})
