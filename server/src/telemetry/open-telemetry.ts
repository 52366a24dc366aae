import { AsyncLocalStorage } from 'node:async_hooks'
import { detectResources, resourceAttributesEnvDetector, resourceFromAttributes, serviceNameEnvDetector } from '@opentelemetry/resources'
import { SECOND_MS } from '../lib/time.ts'
import { VERSION } from '../lib/version.ts'
import type { TelemetrySettings } from '../settings/telemetry-settings.ts'
import { sendMetrics } from './send-metrics.ts'
import { type Running, sendTraces } from './send-traces.ts'
import type { TelemetryStart } from './telemetry.ts'

/** What waits is sent within this, so that a collector that hangs does not hold up a shutdown. */
const STOP_MS = 3 * SECOND_MS

const NOTHING = {}

/** What the variables say of this service goes before what Postern says. */
const resourceOf = (worker: number) =>
  resourceFromAttributes({ 'service.name': 'postern', 'service.version': VERSION, 'service.instance.id': String(worker) }).merge(
    detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }),
  )

/** The one part of Postern that loads OpenTelemetry: where an exporter is configured, and nowhere else. */
export function openTelemetry(settings: TelemetrySettings): TelemetryStart {
  const active = new AsyncLocalStorage<Running>()
  return {
    ofLine() {
      const running = active.getStore()
      if (!running || running.endedMs !== undefined) return NOTHING
      const { traceId, spanId } = running.span.spanContext()
      return { trace_id: traceId, span_id: spanId }
    },
    begin({ worker, clock, logger }) {
      const about = { settings, clock, logger, resource: resourceOf(worker) }
      const traces = settings.traces ? sendTraces({ ...about, active }) : undefined
      const metrics = settings.metrics ? sendMetrics(about) : undefined
      return {
        traces,
        readMetrics: (read) => metrics?.begin(read),
        async stop() {
          const stopped = Promise.withResolvers<void>()
          const timer = clock.after(STOP_MS, () => stopped.resolve())
          const sent = Promise.allSettled([traces?.stop(), metrics?.stop()])
          await Promise.race([sent, stopped.promise])
          timer.cancel()
        },
      }
    },
  }
}
