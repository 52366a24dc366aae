import { SettingsError } from './mistakes.ts'
import { anyText, choice } from './setting-readers.ts'

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

/** A variable of OpenTelemetry, as the documentation prints it and as it is read. */
export interface TelemetryVariable<T, D extends string | undefined = string | undefined> {
  variable: string
  /** What it is when unset; undefined: nothing. */
  fallback: D
  shownDefault: string
  meaning: string
  /** Throws an Error whose message ends the sentence `<variable> …`. */
  read: (text: string) => T
}

const variable = <T, const D extends string | undefined>(
  name: string,
  fallback: D,
  meaning: string,
  read: (text: string) => T,
  shownDefault = fallback === undefined ? '–' : `\`${fallback}\``,
): TelemetryVariable<T, D> => ({ variable: name, fallback, shownDefault, meaning, read })

function url(text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) throw new Error(`must be an http or https URL, not "${text}"`)
  return text
}

function protocol(text: string): string {
  if (text !== 'http/protobuf') throw new Error(`must be http/protobuf, which collectors take at port 4318, not "${text}"`)
  return text
}

function whole(text: string): number {
  if (!/^[0-9]{1,9}$/.test(text) || Number(text) === 0) throw new Error(`must be a whole number above 0, not "${text}"`)
  return Number(text)
}

function ratio(text: string): number {
  if (!/^[0-9]*\.?[0-9]+$/.test(text) || Number(text) > 1) throw new Error(`must be a number from 0 to 1, not "${text}"`)
  return Number(text)
}

const exporter = choice('otlp', 'none')
const OTLP = '`otlp` with an endpoint'

/** The variables of OpenTelemetry that do something here, those included that its exporters read. The documentation is printed from this. */
export const telemetryTable = {
  disabled: variable('OTEL_SDK_DISABLED', 'false', '`true` sends nothing, whatever else is set.', (text) => text.toLowerCase() === 'true'),
  endpoint: variable(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    undefined,
    'The collector, by http or https; `/v1/traces` and `/v1/metrics` are added. Without it, and without one of the next four, nothing of OpenTelemetry is loaded.',
    url,
  ),
  tracesEndpoint: variable(
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    undefined,
    'The whole URL for traces. Without the general endpoint only they are sent.',
    url,
    'the general endpoint',
  ),
  metricsEndpoint: variable('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', undefined, 'The same for metrics.', url, 'the general endpoint'),
  tracesExporter: variable(
    'OTEL_TRACES_EXPORTER',
    undefined,
    '`otlp` or `none`. `otlp` without an endpoint sends to `http://localhost:4318`.',
    exporter,
    OTLP,
  ),
  metricsExporter: variable('OTEL_METRICS_EXPORTER', undefined, 'The same for metrics.', exporter, OTLP),
  protocol: variable('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf', 'Another one is refused.', protocol),
  tracesProtocol: variable('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/protobuf', 'The same for traces.', protocol),
  metricsProtocol: variable('OTEL_EXPORTER_OTLP_METRICS_PROTOCOL', 'http/protobuf', 'The same for metrics.', protocol),
  headers: variable(
    'OTEL_EXPORTER_OTLP_HEADERS',
    undefined,
    'Headers for the collector, `name=value`, comma-separated. This and the next three can be set for one signal (`OTEL_EXPORTER_OTLP_TRACES_HEADERS`).',
    anyText,
  ),
  timeout: variable('OTEL_EXPORTER_OTLP_TIMEOUT', '10000', 'How many milliseconds a sending may take.', anyText),
  compression: variable('OTEL_EXPORTER_OTLP_COMPRESSION', 'none', '`gzip` or `none`.', anyText),
  certificate: variable('OTEL_EXPORTER_OTLP_CERTIFICATE', undefined, 'CA certificates (PEM file) to trust for the collector.', anyText),
  serviceName: variable('OTEL_SERVICE_NAME', 'postern', 'What the process is called.', anyText),
  resourceAttributes: variable(
    'OTEL_RESOURCE_ATTRIBUTES',
    undefined,
    'More about the process, `name=value`, comma-separated. `service.instance.id` is its worker number, the `worker` of log lines.',
    anyText,
  ),
  sampler: variable(
    'OTEL_TRACES_SAMPLER',
    'parentbased_always_on',
    '`always_on`, `always_off`, `traceidratio`, or one of them behind `parentbased_`.',
    choice(...samplers),
  ),
  samplerRatio: variable('OTEL_TRACES_SAMPLER_ARG', '1', 'The share of traces for `traceidratio`, from 0 to 1.', ratio),
  metricsEveryMs: variable('OTEL_METRIC_EXPORT_INTERVAL', '60000', 'Milliseconds between two sendings of metrics.', whole),
  spansEveryMs: variable('OTEL_BSP_SCHEDULE_DELAY', '5000', 'How many milliseconds spans wait at most until they are sent.', whole),
  mostSpans: variable('OTEL_BSP_MAX_QUEUE_SIZE', '2048', 'How many spans wait at most; more are dropped.', whole),
  spansAtOnce: variable('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '512', 'How many spans are sent at once.', whole),
}

type Table = typeof telemetryTable

/** The text of a variable; one that is empty is not set. */
const textIn = (environment: Environment, { variable }: TelemetryVariable<unknown>) => environment[variable]?.trim() || undefined

/** Reads every variable; what is wrong is added to the mistakes, and read as if it were unset. */
function readAll(environment: Environment, mistakes: string[]) {
  const read = (row: TelemetryVariable<unknown>) => {
    const text = textIn(environment, row)
    try {
      if (text !== undefined) return row.read(text)
    } catch (error) {
      mistakes.push(`${row.variable} ${(error as Error).message}`)
    }
    return row.fallback === undefined ? undefined : row.read(row.fallback)
  }
  return Object.fromEntries(Object.entries(telemetryTable).map(([name, row]) => [name, read(row)])) as {
    [K in keyof Table]: ReturnType<Table[K]['read']> | (Table[K]['fallback'] extends string ? never : undefined)
  }
}

/**
 * What to send to a collector; undefined if none is named, or OTEL_SDK_DISABLED is true. Naming one is setting an endpoint, or
 * `otlp` as the exporter of traces or metrics.
 * @throws SettingsError that names every variable with a wrong value.
 */
export function telemetryOf(environment: Environment): TelemetrySettings | undefined {
  const mistakes: string[] = []
  const { disabled, tracesExporter, metricsExporter, sampler, samplerRatio, spansAtOnce, ...read } = readAll(environment, mistakes)
  const { endpoint, tracesEndpoint, metricsEndpoint } = telemetryTable
  const isSent = (named: 'otlp' | 'none' | undefined, own: TelemetryVariable<string>) =>
    named === undefined ? [endpoint, own].some((row) => textIn(environment, row) !== undefined) : named === 'otlp'
  const traces = isSent(tracesExporter, tracesEndpoint)
  const metrics = isSent(metricsExporter, metricsEndpoint)
  if (disabled || (!traces && !metrics)) return undefined
  if (mistakes.length > 0) throw new SettingsError(mistakes)
  const { metricsEveryMs, spansEveryMs, mostSpans } = read
  return {
    traces,
    metrics,
    sampling: { name: sampler, ratio: samplerRatio },
    metricsEveryMs,
    spansEveryMs,
    mostSpans,
    spansAtOnce: Math.min(spansAtOnce, mostSpans),
  }
}
