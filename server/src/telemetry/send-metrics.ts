import type { HrTime } from '@opentelemetry/api'
import { ValueType } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import type { Resource } from '@opentelemetry/resources'
import { AggregationTemporality, type DataPoint, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics'
import type { Logger } from 'pino'
import type { Clock, Timer } from '../lib/clock.ts'
import { VERSION } from '../lib/version.ts'
import type { Line, PrintedMetric } from '../metrics/prometheus.ts'
import type { TelemetrySettings } from '../settings/telemetry-settings.ts'
import { watchCollector } from './watch-collector.ts'

const timeOf = (ms: number): HrTime => [Math.floor(ms / 1000), Math.floor((ms % 1000) * 1e6)]

interface Span {
  startTime: HrTime
  endTime: HrTime
}

const pointsOf = (lines: readonly Line[], span: Span): DataPoint<number>[] =>
  lines.map(({ labels, value }) => ({ ...span, attributes: labels, value }))

/** The distribution that lines with the same labels make up: how many are below each bound, ascending, then their sum and number. */
function histogramOf(name: string, lines: readonly Line[]) {
  const buckets = lines.filter(({ metricName }) => metricName === `${name}_bucket`)
  const valueWith = (suffix: string) => lines.find(({ metricName }) => metricName === name + suffix)?.value ?? 0
  return {
    buckets: {
      boundaries: buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite),
      counts: buckets.map(({ value }, place) => value - (buckets[place - 1]?.value ?? 0)),
    },
    sum: valueWith('_sum'),
    count: valueWith('_count'),
  }
}

const withoutBound = ({ labels: { le, ...labels } }: Line) => labels

function histogramsOf(name: string, lines: readonly Line[], span: Span) {
  const byLabels = Map.groupBy(lines, (line) => JSON.stringify(withoutBound(line)))
  return [...byLabels.values()].map((some) => ({ ...span, attributes: withoutBound(some[0]!), value: histogramOf(name, some) }))
}

/** A metric as OpenTelemetry has it, with the name and labels that Prometheus reads. */
function metricOf({ name, help, type, values }: PrintedMetric, span: Span): MetricData {
  const about = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  }
  if (type === 'histogram') return { ...about, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(name, values, span) }
  const dataPoints = pointsOf(values, span)
  if (type === 'counter') return { ...about, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
  return { ...about, dataPointType: DataPointType.GAUGE, dataPoints }
}

interface Options {
  settings: TelemetrySettings
  clock: Clock
  logger: Logger
  resource: Resource
}

/** Sends what is read, every while and at the end. While one sending is under way there is no other. */
export function sendMetrics({ settings, clock, logger, resource }: Options) {
  const exporter = new OTLPMetricExporter()
  const send = watchCollector(exporter, 'metrics', logger)
  const scope = { name: 'postern', version: VERSION }
  const startTime = timeOf(clock.now())
  let read: (() => Promise<readonly PrintedMetric[]>) | undefined
  let timer: Timer | undefined
  let sending: Promise<void> | undefined

  const sendNow = async () => {
    const span = { startTime, endTime: timeOf(clock.now()) }
    const metrics = (await read!()).map((metric) => metricOf(metric, span))
    await new Promise<void>((resolve) => send({ resource, scopeMetrics: [{ scope, metrics }] }, () => resolve()))
  }
  const sendOnce = () => {
    sending ??= sendNow()
      .catch((error) => logger.error({ err: error }, 'could not read the metrics for the collector'))
      .finally(() => {
        sending = undefined
      })
    return sending
  }
  const wait = () => {
    timer = clock.after(settings.metricsEveryMs, () => {
      void sendOnce()
      wait()
    })
  }

  return {
    begin(reading: typeof read) {
      read = reading
      wait()
    },
    async stop() {
      timer?.cancel()
      await sending
      if (read) await sendOnce()
      await exporter.shutdown()
    },
  }
}
