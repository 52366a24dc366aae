import { allEndpoints } from '../../scripts/all-endpoints.ts'
import { dialects } from '../../src/api/declare/dialect.ts'
import type { Endpoint } from '../../src/api/declare/endpoint.ts'
import { type ErrorDetail, Problem } from '../../src/api/declare/problem.ts'
import { writeExactJson } from '../../src/lib/numbers.ts'
import { parameterReader } from './read-parameters.ts'

export type SentValues = Readonly<Record<string, unknown>>

const asForm = (values: SentValues) =>
  new URLSearchParams(Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.join() : String(value)])).toString()

/** What stands for each placeholder of a path. */
const inPath = ({ pathNames }: Endpoint) => Object.fromEntries(pathNames.map((name) => [name, '7']))

function requestOf(endpoint: Endpoint, values: SentValues) {
  const base = { method: endpoint.method, target: '/', pathParams: inPath(endpoint), remoteAddress: '' }
  if (endpoint.place === 'query') return { ...base, query: asForm(values), headers: {}, body: null }
  const isForm = endpoint.place === 'form'
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
  const body = Buffer.from(isForm ? asForm(values) : writeExactJson(values))
  return { ...base, query: '', headers: { 'content-type': type }, body }
}

const named = (errors: readonly ErrorDetail[]) => errors.flatMap(({ parameters = {}, attribute }) => attribute ?? Object.keys(parameters))

/** Answers of which parameters the endpoint at a route like `PUT /2/webhooks/:webhook_id` refuses what is sent, as its server reads it; rules that need the database are not asked. */
export function refusalsAt(route: string): (values: SentValues) => string[] {
  const endpoint = allEndpoints.find(({ method, path }) => `${method} ${path}` === route)
  if (!endpoint) throw new Error(`no endpoint at ${route}`)
  const read = parameterReader(endpoint, dialects.spec)
  return (values) => {
    try {
      return named(read(requestOf(endpoint, values)).deferred.errors)
    } catch (error) {
      if (error instanceof Problem) return named(error.members.errors ?? [])
      throw error
    }
  }
}
