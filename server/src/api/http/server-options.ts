import type { HostLimits } from '../declare/host-limits.ts'

/** Routes have no schemas for the library: what is checked is declared (`api/declare`). Its own compilers would be a tenth of a start. */
const noCompiler = () => {
  throw new Error('a route has a schema of the HTTP library, which nothing compiles')
}

/** The limits of a host as Node and the HTTP library take them. `takesUploads`: other bodies then have a shorter limit of ours. */
export const serverOptions = (limits: HostLimits, takesUploads: boolean) => ({
  http: {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    requireHostHeader: false,
  },
  requestTimeout: takesUploads ? limits.uploadTimeoutMs : limits.requestTimeoutMs,
  connectionTimeout: limits.stalledTimeoutMs,
  keepAliveTimeout: limits.keepAliveTimeoutMs,
  forceCloseConnections: 'idle' as const,
  return503OnClosing: false,
  // As every other method that a route is not registered with, HEAD comes by the handler of unknown paths to the same route.
  exposeHeadRoutes: false,
  schemaController: { compilersFactory: { buildValidator: () => noCompiler, buildSerializer: () => noCompiler } },
  routerOptions: { ignoreTrailingSlash: true, maxParamLength: limits.headerBytes },
})
