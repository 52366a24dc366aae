import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { SpanName } from '../lib/traceparent.ts'
import type { PrintedMetric } from '../metrics/prometheus.ts'

export type Attributes = Readonly<Record<string, string | number | undefined>>

export type SpanKind = 'server' | 'producer' | 'consumer' | 'client'

/** What a span is called, and where it belongs. */
export interface SpanBeginning {
  name: string
  kind: SpanKind
  attributes: Attributes
  /** Its parent. Without one it is the span that runs, if any. */
  parent?: SpanName | undefined
}

/** A span that runs. */
export interface RunningSpan {
  /** What others name as their parent; undefined if it is not recorded. */
  traceparent: string | undefined
  set(attributes: Attributes): void
  /** Marks it as failed. */
  failed(why: string): void
}

/** A span that is told once it has ended. */
export interface EndedSpan extends SpanBeginning {
  parent: SpanName
  /** Its own id, where others know it before. */
  id?: string
  beganMs: number
  endedMs: number
  /** Why it has failed. */
  failed?: string | undefined
}

/** Traces as they are made. */
export interface Traces {
  /** Runs work in a span. A rejection marks it as failed. */
  run<T>(beginning: SpanBeginning, work: (span: RunningSpan) => Promise<T>): Promise<T>
  /** Runs work that is not of the span that runs, such as that of a batch. */
  outside<T>(work: () => T): T
  /** Adds a span that has ended. */
  add(span: EndedSpan): void
}

/** What a process tells a collector of OpenTelemetry. */
export interface Telemetry {
  /** Undefined if traces are not sent. */
  traces: Traces | undefined
  /** Sends from now on, every while, what this reads; does nothing if metrics are not sent. */
  readMetrics(read: () => Promise<readonly PrintedMetric[]>): void
  /** Sends what waits, within a few seconds, and nothing afterwards. */
  stop(): Promise<void>
}

export interface TelemetryOptions {
  /** The number of this process. */
  worker: number
  clock: Clock
  logger: Logger
}

/** A process before it has a number. */
export interface TelemetryStart {
  /** What each log line says of the span that runs. */
  ofLine(): object
  begin(options: TelemetryOptions): Telemetry
}
