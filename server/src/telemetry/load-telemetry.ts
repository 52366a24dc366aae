import { SettingsError } from '../settings/mistakes.ts'
import type { TelemetrySettings } from '../settings/telemetry-settings.ts'
import type { TelemetryStart } from './telemetry.ts'

/** The package `postern` does not bring them: few send to a collector. They depend on everything else of OpenTelemetry. */
const PACKAGES = [
  '@opentelemetry/exporter-metrics-otlp-proto',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-metrics',
  '@opentelemetry/sdk-trace',
]

function isMissing(name: string): boolean {
  try {
    import.meta.resolve(name)
    return false
  } catch {
    return true
  }
}

/**
 * Loads what sends to a collector.
 * @throws SettingsError if a package of it is not installed.
 */
export async function loadTelemetry(settings: TelemetrySettings): Promise<TelemetryStart> {
  const missing = PACKAGES.filter(isMissing)
  if (missing.length > 0)
    throw new SettingsError([
      `the variables of OpenTelemetry name a collector, for which Postern needs packages that are not there: install them beside postern (npm install ${missing.join(' ')}), or set OTEL_SDK_DISABLED=true`,
    ])
  return (await import('./open-telemetry.ts')).openTelemetry(settings)
}
