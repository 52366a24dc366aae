import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorObject } from 'ajv'
import { generalErrors } from '../../src/api/read/general-policy.ts'

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
