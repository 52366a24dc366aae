import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { long } from '../../src/api/declare/ads-words.ts'
import { noAuth } from '../../src/api/declare/auth.ts'
import { dialects } from '../../src/api/declare/dialect.ts'
import type { Endpoint } from '../../src/api/declare/endpoint.ts'
import { listOf, nullable, object, optional } from '../../src/api/declare/words.ts'
import { openApi } from '../../src/api/openapi.ts'
import { adsEndpoint } from '../../src/api/records/ads-endpoint.ts'

const declared = (method: 'GET' | 'POST') =>
  adsEndpoint({
    name: method,
    route: `${method} /12/x`,
    section: '',
    summary: '',
    auth: noAuth,
    params: { amount: optional(nullable(long({ min: 1, description: 'How much.' }))) },
    data: object({ paid: long(), due: nullable(long()), all: listOf(long()) }),
    handle: async () => ({ data: {} }),
  }) as unknown as Endpoint

test('the advertising hosts are described correctly: longs, empty values, unknown parameters, each form of an error', () => {
  const servers = { base_url: 'http://a', ads_base_url: 'http://b', ads_sandbox_base_url: 'http://c' }
  const description = openApi({ endpoints: [declared('GET'), declared('POST')], events: [] }, dialects.spec, servers, () => undefined)
  const { get, post } = JSON.parse(JSON.stringify(description)).paths['/12/x']
  const of64 = (minimum: number, type: unknown = 'integer') => ({ type, format: 'int64', minimum })
  const amount = of64(1)
  assert.deepEqual(get.parameters[0].schema, { anyOf: [amount, { const: '' }] })
  const form = post.requestBody.content['application/x-www-form-urlencoded'].schema
  assert.deepEqual(form.properties.amount, { anyOf: [amount, { const: '' }], description: 'How much. An empty value clears it.' })
  assert.equal(form.additionalProperties, undefined)
  const refs = get.responses.default.content['application/json'].schema.anyOf.map(({ $ref }: { $ref: string }) => $ref)
  assert.deepEqual(
    refs,
    ['AdsErrors', 'AdsOperationErrors', 'Errors'].map((name) => `#/components/schemas/${name}`),
  )
  const { data } = get.responses['200'].content['application/json'].schema.properties
  assert.deepEqual(data.properties, { paid: of64(0), due: of64(0, ['integer', 'null']), all: { type: 'array', items: of64(0) } })
})

test('every type that the printed description names is one of JSON Schema', async () => {
  const types = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])
  const wrong: unknown[] = []
  const description = await readFile(new URL('../../../docs/openapi.json', import.meta.url), 'utf8')
  JSON.parse(description, (name, value) => {
    const isOfSchema = name === 'type' && (typeof value === 'string' || Array.isArray(value))
    const named = isOfSchema ? [value].flat() : []
    if (Array.isArray(value) && isOfSchema && (new Set(named).size !== named.length || !named.every((one) => types.has(one))))
      wrong.push(value)
    return value
  })
  assert.deepEqual(wrong, [])
})
