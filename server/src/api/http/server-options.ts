import type { HostLimits } from '../declare/host-limits.ts'

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
  routerOptions: { ignoreTrailingSlash: true, maxParamLength: limits.headerBytes },
})
