import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { printedDescription } from '../../scripts/api-pages.ts'
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

/** The members that §7 requires of a type of problem, and others that it names. */
const problemMembers: [name: string, required: string[], named?: string[]][] = [
  ['ClientForbidden', [], ['reason', 'registration_url']],
  ['DisallowedResource', ['resource_id', 'resource_type', 'section']],
  ['DuplicateRules', [], ['id', 'value']],
  ['InvalidRequest', [], ['errors']],
  ['NotAuthorizedForField', ['field', 'resource_type', 'section']],
  ['NotAuthorizedForResource', ['value', 'resource_id', 'resource_type', 'section', 'parameter']],
  ['OperationalDisconnect', [], ['disconnect_type']],
  ['ResourceNotFound', ['parameter', 'resource_id', 'resource_type', 'value']],
  ['ResourceUnavailable', ['parameter', 'resource_id', 'resource_type']],
  ['StreamingConnection', [], ['connection_issue']],
  ['UsageCapped', [], ['period', 'scope']],
]

test('each type of problem is described with its own members, and errors beside data with theirs', () => {
  const { schemas } = JSON.parse(printedDescription(dialects.spec)).components
  for (const [name, required, named = required] of problemMembers) {
    const [, own] = schemas[`${name}Problem`].allOf
    assert.deepEqual(own.required ?? [], required, name)
    for (const member of named) assert.ok(member in own.properties, `${name} ${member}`)
  }
  const plain = ['ClientDisconnected', 'Conflict', 'InvalidRules', 'NoncompliantRules', 'RuleCap', 'UnsupportedAuthentication']
  const names = [...problemMembers.map(([name]) => name), ...plain].map((name) => `#/components/schemas/${name}Problem`)
  const refs = schemas.AnyProblem.anyOf.map(({ $ref }: { $ref: string }) => $ref)
  assert.deepEqual(refs.toSorted(), [...names, '#/components/schemas/Problem'].toSorted())
  for (const member of ['resource_id', 'resource_type', 'section', 'parameter', 'value', 'field'])
    assert.ok(member in schemas.PartialError.properties, member)
})

/** The schema of descriptions that the OpenAPI Initiative publishes (Apache License 2.0). */
const openApiSchema = JSON.parse(await readFile(new URL('../fixtures/openapi-3.1.json', import.meta.url), 'utf8'))

/** It leaves open what a schema in a description is: JSON Schema of 2020-12. */
const withSchemas = {
  ...openApiSchema,
  $defs: { ...openApiSchema.$defs, schema: { $ref: 'https://json-schema.org/draft/2020-12/schema' } },
}

for (const dialect of Object.values(dialects))
  test(`${dialect.name}: the printed description is OpenAPI 3.1, and every schema in it JSON Schema`, () => {
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(withSchemas)
    const description = JSON.parse(printedDescription(dialect))
    const isValid: boolean = validate(description)
    assert.ok(isValid, JSON.stringify(validate.errors?.slice(0, 5), null, 2))

    description.components.schemas.Errors.type = 'text'
    assert.ok(!validate(description))
  })
