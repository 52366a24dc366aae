import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type CollectedMetric, type CollectedSpan, metricsOf, spansOf } from './otlp.ts'

/** A collector of OpenTelemetry on a free port of loopback, which keeps what it is sent. */
export interface Collector extends AsyncDisposable {
  /** As `OTEL_EXPORTER_OTLP_ENDPOINT` names it. */
  url: string
  spans: CollectedSpan[]
  metrics: CollectedMetric[]
  /** The headers of each request. */
  headers: IncomingHttpHeaders[]
  /** What its requests hold, as they came; those that it did not take too. */
  bodies: Buffer[]
  /** With `hang` it takes requests and answers none. */
  is: 'up' | 'hang' | 'refusing'
  /** Resolves once requests have made it so. */
  when(enough: () => boolean): Promise<void>
}

export async function startCollector(): Promise<Collector> {
  const changes = new EventEmitter()
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    collector.headers.push(request.headers)
    collector.bodies.push(body)
    changes.emit('change')
    if (collector.is === 'hang') return
    if (collector.is === 'refusing') return void response.writeHead(400).end()
    if (request.url === '/v1/traces') collector.spans.push(...spansOf(body))
    if (request.url === '/v1/metrics') collector.metrics.push(...metricsOf(body))
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
    changes.emit('change')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    metrics: [],
    headers: [],
    bodies: [],
    is: 'up',
    async when(enough) {
      while (!enough()) await once(changes, 'change')
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return collector
}
