import { describeLimit } from '../access/rate-limits.ts'
import type { Endpoint } from '../api/declare/endpoint.ts'
import { docsPages, jsonPage } from '../api/http/pages.ts'
import type { Route } from '../api/http/route.ts'
import { openApi, tagsOf } from '../api/openapi.ts'
import type { DescribedApi } from '../api/reference/described-api.ts'
import { credentials } from '../endpoints/description/credentials.ts'
import { describe } from '../endpoints/description/describe.ts'
import type { Base, RateLimits } from './parts.ts'

/** `/openapi.json` and the reference below `/docs`, both made of what is served, at the first request. */
export function describedPages({ dialect, listening }: Base, endpoints: readonly Endpoint[], limits: RateLimits): Route[] {
  const described = describe(endpoints, dialect)
  const description = () => openApi(described, dialect, listening.origins, describeLimit(limits))
  const groups = tagsOf(described).map(({ name }) => name)
  return [jsonPage('/openapi.json', description), ...docsPages(() => description() as unknown as DescribedApi, groups, credentials)]
}
