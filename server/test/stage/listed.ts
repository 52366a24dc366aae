import type { Endpoint } from '../../src/api/declare/endpoint.ts'
import type { Listed } from '../../src/api/declare/map.ts'

/** The line of a map for an endpoint that a test declares. */
export const listed = <Services>(endpoint: Endpoint<Services>): Listed<Services> => {
  const { name, method, path, area, sandboxOnly, bodyLimitBytes, streamed } = endpoint
  return { name, method, path, area, sandboxOnly, bodyLimitBytes, streams: streamed !== undefined, load: async () => endpoint }
}
