import { SettingsError } from './mistakes.ts'

/** By which rule traces are recorded: the names of OpenTelemetry, and the share of a ratio. */
export interface Sampling {
  name: (typeof samplers)[number]
  ratio: number
}

/** What is sent to a collector, as the variables of OpenTelemetry say. Where to, with which headers and how, its exporters read themselves. */
export interface TelemetrySettings {
  traces: boolean
  metrics: boolean
  sampling: Sampling
  /** How often metrics are sent. */
  metricsEveryMs: number
  /** How long spans wait at most until they are sent. */
  spansEveryMs: number
  /** So many spans wait at most; more are dropped. */
  mostSpans: number
  /** So many are sent at once. */
  spansAtOnce: number
}

type Environment = Readonly<Record<string, string | undefined>>

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

const listed = (names: readonly string[]) => `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`

/** Reads variables; what is wrong with each is added to the mistakes. */
function createReader(environment: Environment, mistakes: string[]) {
  const textOf = (variable: string) => environment[variable]?.trim() || undefined
  const refuse = (variable: string, rule: string) => void mistakes.push(`${variable} must be ${rule}, not "${textOf(variable)}"`)
  return {
    textOf,
    oneOf<const Name extends string>(variable: string, names: readonly Name[]): Name | undefined {
      const text = textOf(variable)
      const found = names.find((name) => name === text)
      if (text !== undefined && found === undefined) refuse(variable, listed(names))
      return found
    },
    whole(variable: string, fallback: number): number {
      const text = textOf(variable)
      if (text === undefined) return fallback
      if (!/^[0-9]{1,9}$/.test(text) || Number(text) === 0) refuse(variable, 'a whole number above 0')
      return Number(text)
    },
    ratio(variable: string): number {
      const text = textOf(variable)
      if (text === undefined) return 1
      if (!/^[0-9]*\.?[0-9]+$/.test(text) || Number(text) > 1) refuse(variable, 'a number from 0 to 1')
      return Number(text)
    },
    url(variable: string): boolean {
      const text = textOf(variable)
      if (text === undefined) return false
      if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) refuse(variable, 'an http or https URL')
      return true
    },
    protocol(variable: string) {
      const text = textOf(variable)
      if (text !== undefined && text !== 'http/protobuf') refuse(variable, 'http/protobuf, which collectors take at port 4318')
    },
  }
}

/**
 * What to send to a collector; undefined if none is named, or OTEL_SDK_DISABLED is true. Naming one is setting an endpoint, or
 * `otlp` as the exporter of traces or metrics.
 * @throws SettingsError that names every variable with a wrong value.
 */
export function telemetryOf(environment: Environment): TelemetrySettings | undefined {
  const mistakes: string[] = []
  const read = createReader(environment, mistakes)
  if (read.textOf('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  const everywhere = read.url('OTEL_EXPORTER_OTLP_ENDPOINT')
  const isSent = (signal: 'TRACES' | 'METRICS') => {
    const hasOwn = read.url(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`)
    const exporter = read.oneOf(`OTEL_${signal}_EXPORTER`, ['otlp', 'none'])
    read.protocol(`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`)
    return exporter === undefined ? everywhere || hasOwn : exporter === 'otlp'
  }
  const traces = isSent('TRACES')
  const metrics = isSent('METRICS')
  if (!traces && !metrics) return undefined
  read.protocol('OTEL_EXPORTER_OTLP_PROTOCOL')
  const mostSpans = read.whole('OTEL_BSP_MAX_QUEUE_SIZE', 2048)
  const settings = {
    traces,
    metrics,
    sampling: {
      name: read.oneOf('OTEL_TRACES_SAMPLER', samplers) ?? 'parentbased_always_on',
      ratio: read.ratio('OTEL_TRACES_SAMPLER_ARG'),
    },
    metricsEveryMs: read.whole('OTEL_METRIC_EXPORT_INTERVAL', 60_000),
    spansEveryMs: read.whole('OTEL_BSP_SCHEDULE_DELAY', 5000),
    mostSpans,
    spansAtOnce: Math.min(read.whole('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512), mostSpans),
  }
  if (mistakes.length > 0) throw new SettingsError(mistakes)
  return settings
}
