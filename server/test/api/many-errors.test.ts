import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorObject } from 'ajv'
import { dialects } from '../../src/api/declare/dialect.ts'
import { id, listOf, object } from '../../src/api/declare/words.ts'
import { ObjectAnswer, type PartialError } from '../../src/api/objects/object-answer.ts'
import { generalErrors } from '../../src/api/read/general-policy.ts'
import { errorsIn } from '../../src/api/read/validator.ts'

test('of ten thousand errors in a body only the hundred that are answered are put into words', () => {
  let read = 0
  const errors = Array.from({ length: 10_000 }, (_, index) => ({
    instancePath: `/events/${index}/event_type`,
    keyword: 'type',
    params: { type: 'string' },
    parentSchema: {},
    get data() {
      read += 1
      return index
    },
  })) as unknown as ErrorObject[]
  const same = (name: string) => name
  const context = {
    placeOf: () => 'body' as const,
    sentAs: same,
    spell: same,
    textOf: () => undefined,
    named: new Set<string>(),
    unset: {},
  }
  assert.equal(generalErrors.invalidValues(errors, context).length, 100)
  assert.ok(read <= 400, `${read} values read`)
})

test('of up to a thousand values every error is found, of more the first, which is that of their number', () => {
  const list = object({ items: listOf(object({ id: id() }), { max: 1200 }) })
  const found = (count: number) => errorsIn({ items: Array.from({ length: count }, () => ({})) }, list)
  assert.equal(found(998).length, 998)
  assert.deepEqual([found(999).length, found(999)[0]!.keyword], [1, 'required'])
  assert.deepEqual([found(1201).length, found(1201)[0]!.keyword], [1, 'maxItems'])
  const nested = { items: [{ id: Array.from({ length: 500 }, () => [1]) }, {}] }
  assert.equal(errorsIn(nested, list).length, 1)
})

test('problems beside data are written in pieces of at most 50', () => {
  const errors = Array.from(
    { length: 4000 },
    (_, place): PartialError => ({ kind: 'resource-not-found', detail: () => 'Gone.', members: { value: String(place) } }),
  )
  const answer = new ObjectAnswer({ data: undefined, includes: [], errors, shown: { nowMs: 0, viewerId: undefined, relations: new Set() } })
  const pieces = [...answer.pieces({ dialect: dialects.spec, problemBaseUrl: 'https://api.example.com/2/problems' })]
  assert.equal(Math.max(...pieces.map((piece) => piece.split('"detail":"Gone."').length - 1)), 50)
  const written = JSON.parse(pieces.join('')).errors
  assert.deepEqual([written.length, written[50].value, written[3999].value], [4000, '50', '3999'])
})
