import type { BodyLimits } from './body-limits.ts'
import type { RequestHandler } from './handle-request.ts'
import { queryOf } from './query-of.ts'
import { readFetchBody } from './read-fetch-body.ts'

/** Handles requests of servers that call `fetch(request)`. */
export const fetchHandler =
  (handle: RequestHandler, limits: BodyLimits) =>
  async (request: Request): Promise<Response> => {
    const { status, headers, body } = await handle({
      method: request.method,
      query: queryOf(request.url),
      header: (name) => request.headers.get(name),
      body: () => readFetchBody(request, limits),
    })
    return Response.json(body, { status, ...(headers && { headers }) })
  }
