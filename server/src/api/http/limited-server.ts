import type { Server } from 'node:http'
import { createServer } from '../../lib/node-http.ts'
import type { HostLimits } from '../declare/host-limits.ts'

/** A server with the limits of a host, as Node takes them. `takesUploads`: other bodies then have a shorter limit of ours. */
export function createLimitedServer(limits: HostLimits, takesUploads: boolean): Server {
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: takesUploads ? limits.uploadTimeoutMs : limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    // Without one it is refused in the form of the interface.
    requireHostHeader: false,
  })
  server.timeout = limits.stalledTimeoutMs
  server.maxConnections = limits.connections
  return server
}
