import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SettingsError } from '../../src/settings/mistakes.ts'
import { telemetryOf } from '../../src/settings/telemetry-settings.ts'

const COLLECTOR = 'http://127.0.0.1:4318'

const defaults = {
  traces: true,
  metrics: true,
  sampling: { name: 'parentbased_always_on', ratio: 1 },
  metricsEveryMs: 60_000,
  spansEveryMs: 5000,
  mostSpans: 2048,
  spansAtOnce: 512,
}

test('nothing is sent unless a collector or an exporter is named', () => {
  for (const environment of [
    {},
    { OTEL_SERVICE_NAME: 'gate', OTEL_TRACES_SAMPLER: 'always_on' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    { OTEL_METRICS_EXPORTER: 'prometheus', OTEL_BSP_MAX_QUEUE_SIZE: 'many' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR, OTEL_SDK_DISABLED: 'true' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' },
  ])
    assert.equal(telemetryOf(environment), undefined)
})

test('an endpoint for all, for one signal, or an exporter decides what is sent', () => {
  const sent = (environment: Record<string, string>) => {
    const { traces, metrics } = telemetryOf(environment)!
    return { traces, metrics }
  }
  assert.deepEqual(telemetryOf({ OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR }), defaults)
  assert.deepEqual(sent({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${COLLECTOR}/v1/traces` }), { traces: true, metrics: false })
  assert.deepEqual(sent({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${COLLECTOR}/v1/metrics` }), { traces: false, metrics: true })
  assert.deepEqual(sent({ OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR, OTEL_METRICS_EXPORTER: 'none' }), { traces: true, metrics: false })
  assert.deepEqual(sent({ OTEL_TRACES_EXPORTER: 'otlp' }), { traces: true, metrics: false })
})

test('the other variables are read by their names', () => {
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    OTEL_METRIC_EXPORT_INTERVAL: '15000',
    OTEL_BSP_SCHEDULE_DELAY: '1000',
    OTEL_BSP_MAX_QUEUE_SIZE: '100',
  }
  assert.deepEqual(telemetryOf(environment), {
    traces: true,
    metrics: true,
    sampling: { name: 'traceidratio', ratio: 0.25 },
    metricsEveryMs: 15_000,
    spansEveryMs: 1000,
    mostSpans: 100,
    spansAtOnce: 100,
  })
})

test('every wrong value is named with its rule', () => {
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_METRICS_EXPORTER: 'prometheus',
    OTEL_TRACES_SAMPLER: 'jaeger_remote',
    OTEL_TRACES_SAMPLER_ARG: '2',
    OTEL_METRIC_EXPORT_INTERVAL: '0',
    OTEL_BSP_MAX_QUEUE_SIZE: 'many',
  }
  assert.throws(
    () => telemetryOf(environment),
    (error) => {
      assert.ok(error instanceof SettingsError)
      assert.deepEqual(error.mistakes, [
        'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL, not "collector:4318"',
        'OTEL_METRICS_EXPORTER must be one of otlp, none, not "prometheus"',
        'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, which collectors take at port 4318, not "grpc"',
        'OTEL_TRACES_SAMPLER must be one of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio, not "jaeger_remote"',
        'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "2"',
        'OTEL_METRIC_EXPORT_INTERVAL must be a whole number above 0, not "0"',
        'OTEL_BSP_MAX_QUEUE_SIZE must be a whole number above 0, not "many"',
      ])
      return true
    },
  )
})
