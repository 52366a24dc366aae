import type { AsyncLocalStorage } from 'node:async_hooks'
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import type { Resource } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import { SECOND_MS } from '../lib/time.ts'
import { type SpanName, writeTraceparent } from '../lib/traceparent.ts'
import { VERSION } from '../lib/version.ts'
import type { Sampling, TelemetrySettings } from '../settings/telemetry-settings.ts'
import type { SpanKind as Kind, SpanBeginning, Traces } from './telemetry.ts'
import { watchCollector } from './watch-collector.ts'

const kinds: Record<Kind, SpanKind> = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
}

function samplerOf({ name, ratio }: Sampling): Sampler {
  const [root, isParentBased] = [name.replace('parentbased_', ''), name.startsWith('parentbased_')]
  const byName: Record<string, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  }
  const sampler = byName[root]!()
  return isParentBased ? new ParentBasedSampler({ root: sampler }) : sampler
}

/** Makes random ids, and the one that was given where there is one. */
function createIds() {
  const random = new RandomIdGenerator()
  let next: string | undefined
  return {
    generateTraceId: () => random.generateTraceId(),
    generateSpanId() {
      const id = next ?? random.generateSpanId()
      next = undefined
      return id
    },
    /** The id of the span that is begun next. */
    give(id: string | undefined) {
      next = id
    },
  }
}

const contextOf = ({ traceId, spanId, isSampled }: SpanName) =>
  trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
  })

/** What is not recorded has no children in other processes. */
function traceparentOf(span: Span): string | undefined {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return (traceFlags & TraceFlags.SAMPLED) === 0 ? undefined : writeTraceparent({ traceId, spanId, isSampled: true })
}

const failed = (span: Span, message: string) => void span.setStatus({ code: SpanStatusCode.ERROR, message })

/** A span, while what it began goes on. */
export interface Running {
  span: Span
  /** When it has ended, in elapsed milliseconds. */
  endedMs?: number
}

/** What a call has begun may go on for ever, such as a timer. It is no part of the call once that has ended a while ago. */
const LATE_MS = 10 * SECOND_MS

interface Options {
  settings: TelemetrySettings
  clock: Clock
  logger: Logger
  resource: Resource
  /** The span that runs, or has ended. */
  active: AsyncLocalStorage<Running>
}

/** Sends spans in batches. A bounded number waits; with a collector that is away, or too slow, the rest is dropped. */
export function sendTraces({ settings, clock, logger, resource, active }: Options): Traces & { stop(): Promise<void> } {
  const exporter = new OTLPTraceExporter()
  const ids = createIds()
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(settings.sampling),
    idGenerator: ids,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: {
          export: watchCollector(exporter, 'traces', logger),
          forceFlush: () => exporter.forceFlush(),
          shutdown: () => exporter.shutdown(),
        },
        scheduledDelayMillis: settings.spansEveryMs,
        maxQueueSize: settings.mostSpans,
        maxExportBatchSize: settings.spansAtOnce,
      }),
    ],
  })
  const tracer = provider.getTracer('postern', VERSION)

  const parentOf = ({ parent }: Pick<SpanBeginning, 'parent'>) => {
    if (parent) return contextOf(parent)
    const running = active.getStore()
    if (!running || clock.elapsed() - (running.endedMs ?? Infinity) > LATE_MS) return ROOT_CONTEXT
    return trace.setSpan(ROOT_CONTEXT, running.span)
  }

  return {
    run(beginning, work) {
      const { name, kind, attributes } = beginning
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, parentOf(beginning))
      const handle = {
        traceparent: traceparentOf(span),
        set: (more: SpanBeginning['attributes']) => void span.setAttributes(more),
        failed: (why: string) => failed(span, why),
      }
      const running: Running = { span }
      return active.run(running, async () => {
        try {
          return await work(handle)
        } catch (error) {
          failed(span, error instanceof Error ? error.name : 'error')
          throw error
        } finally {
          span.end()
          running.endedMs = clock.elapsed()
        }
      })
    },
    outside: (work) => active.exit(work),
    add({ name, kind, attributes, parent, id, beganMs, endedMs, failed: why }) {
      ids.give(id)
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes, startTime: beganMs }, contextOf(parent))
      if (why !== undefined) failed(span, why)
      span.end(endedMs)
    },
    stop: () => provider.shutdown(),
  }
}
