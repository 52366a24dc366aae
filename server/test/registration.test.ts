// Every declared endpoint must be in the map, and every resource among the record types. A failure names the line to add.
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { allEndpoints } from '../scripts/all-endpoints.ts'
import type { Endpoint } from '../src/api/declare/endpoint.ts'
import type { Listed } from '../src/api/declare/map.ts'
import type { AnyResource } from '../src/api/records/resource.ts'
import { developmentEndpoints, developmentPages } from '../src/development/endpoints.ts'
import { listAccountHistory } from '../src/endpoints/ads/account-history/list-account-history.ts'
import { accountResources } from '../src/endpoints/ads/resources/index.ts'
import { adsEndpoints, generalEndpoints, operatorEndpoints, recordTypes } from '../src/endpoints/index.ts'

const src = join(import.meta.dirname, '../src')

interface Export {
  file: string
  name: string
  value: unknown
}

async function exportsOf(file: string): Promise<Export[]> {
  const module: Record<string, unknown> = await import(join(src, file))
  return Object.entries(module).map(([name, value]) => ({ file, name, value }))
}

const files = globSync('{endpoints,development}/**/*.ts', { cwd: src }).sort()
const exported = (await Promise.all(files.map(exportsOf))).flat()

const hasMembers = (value: unknown, ...members: string[]) =>
  typeof value === 'object' && value !== null && members.every((member) => member in value)

const declaredEndpoints = exported.filter(({ value }) => hasMembers(value, 'method', 'path', 'handle'))
const declaredResources = exported.filter(({ value }) => hasMembers(value, 'table', 'columns', 'absent'))

const map: readonly Listed[] = [...generalEndpoints, ...adsEndpoints, ...operatorEndpoints, ...developmentPages, ...developmentEndpoints]

const isInWing = (file: string) => file.startsWith('development/')
const mapOf = (file: string) => (isInWing(file) ? 'development/endpoints.ts' : 'endpoints/index.ts')

const listOf = (file: string, { area, path }: Endpoint) =>
  isInWing(file)
    ? path.startsWith('/operator')
      ? 'developmentEndpoints'
      : 'developmentPages'
    : area === 'ads'
      ? 'adsEndpoints'
      : path.startsWith('/operator')
        ? 'operatorEndpoints'
        : 'generalEndpoints'

const declaredData = ({ answer }: Endpoint) => (answer as unknown as { properties: { data?: unknown } }).properties?.data

/** The endpoints whose data is a record of the resource, or a list of its records. */
const endpointsOf = ({ schema, list }: AnyResource): Endpoint[] =>
  allEndpoints.filter((endpoint) => [schema, list].includes(declaredData(endpoint) as typeof schema))

/** `/12/accounts/:account_id/campaigns/:campaign_id` is `campaign_id` in `/12/accounts/:account_id/campaigns`, whose batch is `/12/batch/…`. */
function splitPath(path: string): { collection: string; key: string | undefined } {
  const [, collection, key] = /^(.*?)(?:\/:([^/]+))?$/.exec(path.replace('/12/batch/', '/12/'))!
  return { collection: collection!, key }
}

const distinct = <Value>(values: readonly (Value | undefined)[]) => [...new Set(values.filter((value) => value !== undefined))]

const noLines = (lines: string[]) => assert.equal(lines.join('\n'), '')

suite('registration', () => {
  test('every declared endpoint is in the map', () => {
    const map = new Set<unknown>(allEndpoints)
    const missing = declaredEndpoints.filter(({ value }) => !map.has(value))
    noLines(
      missing.map(({ file, name, value }) => {
        const { method, path } = value as Endpoint
        const line = `at('${method} ${path}', '${name}', () => import('./${file.replace(/^\w+\//, '')}')),`
        return `${mapOf(file)}: add to ${listOf(file, value as Endpoint)} the line "${line}"`
      }),
    )
  })

  test('every line of the map says what its endpoint declares', async () => {
    const said = ({ name, method, path, area, bodyLimitBytes, streams, sandboxOnly }: Listed) => ({
      [name]: { route: `${method} ${path}`, area, bodyLimitBytes, streams, sandboxOnly },
    })
    const declared = ({ streamed, ...endpoint }: Endpoint) => said({ ...endpoint, streams: streamed !== undefined } as unknown as Listed)
    for (const line of map) assert.deepEqual(said(line), declared(await line.load()))
    assert.deepEqual(
      map.filter(({ name }) => name.endsWith('AtDeprecatedPath')).map(({ path }) => path),
      allEndpoints.flatMap(({ deprecatedPath }) => deprecatedPath?.path ?? []),
    )
  })

  test('every endpoint is exported under its name', () => {
    const misnamed = declaredEndpoints.filter(({ name, value }) => name !== (value as Endpoint).name)
    noLines(misnamed.map(({ file, name, value }) => `${file}: ${name} is declared with the name '${(value as Endpoint).name}'`))
  })

  test('the routes of one resource share its collection path and its key parameter', () => {
    const resources = declaredResources.map(({ value }) => value as AnyResource)
    const unreached = resources.filter((resource) => endpointsOf(resource).length === 0)
    noLines(unreached.map(({ table }) => `${table}: no endpoint of the map is about it`))
    noLines(
      resources.flatMap((resource) => {
        const paths = endpointsOf(resource).map(({ path }) => splitPath(path))
        const [collections, keys] = [distinct(paths.map(({ collection }) => collection)), distinct(paths.map(({ key }) => key))]
        return [collections, keys].flatMap((names) => (names.length > 1 ? `${resource.table} has ${names.join(' and ')}` : []))
      }),
    )
  })

  test('every declared resource has a table', () => {
    // A resource that shares a table may have some of its columns.
    const hasAll = (known: AnyResource['columns'], columns: AnyResource['columns']) =>
      Object.entries(columns).every(([name, column]) => isDeepStrictEqual(known[name], column))
    const same = ({ table, columns, indexes, only }: AnyResource) =>
      (recordTypes as readonly AnyResource[]).some(
        (known) =>
          known.table === table &&
          isDeepStrictEqual(known.indexes, indexes) &&
          (only ? hasAll(known.columns, columns) : isDeepStrictEqual(known.columns, columns)),
      )
    const missing = declaredResources.filter(({ value }) => !same(value as AnyResource))
    noLines(
      missing.map(
        ({ file, name }) =>
          `endpoints/ads/resources/index.ts: import { ${name} } from '${file.replace('endpoints/ads/resources/', './')}' and add "${name}," to accountResources`,
      ),
    )
  })

  test('every resource of an account comes after its parent', () => {
    const place = (table: string) => accountResources.findIndex((resource) => resource.table === table)
    const tooEarly = accountResources.filter(({ table, childOf }) => childOf && place(childOf.parent.table) > place(table))
    noLines(tooEarly.map(({ table, childOf }) => `endpoints/ads/resources/index.ts: ${table} must come after ${childOf!.parent.table}`))
  })

  test('the account history lists every entity that is written to it', () => {
    const { enum: entities } = listAccountHistory.params.entity_type as unknown as { enum: string[] }
    const missing = (accountResources as readonly AnyResource[]).flatMap(({ history }) =>
      history && !entities.includes(history) ? history : [],
    )
    noLines(missing.map((entity) => `endpoints/ads/account-history/list-account-history.ts: add '${entity}' to the values of entity`))
  })
})
