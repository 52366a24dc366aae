import { JSON_TYPE } from '../../api/answer/serialize.ts'
import type { Dialect } from '../../api/declare/dialect.ts'
import type { Endpoint } from '../../api/declare/endpoint.ts'
import type { Servers } from '../../api/describe/area-description.ts'
import type { LimitOf } from '../../api/describe/operation.ts'
import { keptAnswer } from '../../api/http/kept-answer.ts'
import { openApiInTurns } from '../../api/openapi.ts'
import type { DescribedApi } from '../../api/reference/described-api.ts'
import { referencePages } from '../../api/reference/pages.ts'
import { endOfTurn } from '../../lib/clock.ts'
import { credentials } from './credentials.ts'
import { describe } from './describe.ts'

/**
 * What describes some endpoints, by path: `/openapi.json`, and the reference below `/docs`, which is made of it. A page is made when it is
 * first asked for, and kept. Undefined for a path that has none.
 */
export async function createDescription(endpoints: readonly Endpoint[], dialect: Dialect, servers: Servers, limitOf: LimitOf) {
  await endOfTurn()
  const described = describe(endpoints, dialect)
  const api = await openApiInTurns(described, dialect, servers, limitOf)
  await endOfTurn()
  const makers = referencePages(api as unknown as DescribedApi, credentials)
  makers.set('/openapi.json', () => ({ status: 200, headers: { 'content-type': JSON_TYPE }, body: JSON.stringify(api) }))
  const made = new Map<string, ReturnType<typeof keptAnswer>>()
  return (path: string) => {
    const make = makers.get(path)
    if (make && !made.has(path)) made.set(path, keptAnswer(make()))
    return made.get(path)
  }
}
