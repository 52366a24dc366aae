import { readSettings, type Settings } from '../../src/settings/settings.ts'
import { freePort } from './free-port.ts'

/** The origins of a production server that a test names none for. */
const PUBLIC = {
  POSTERN_BASE_URL: 'https://api.test',
  POSTERN_ADS_BASE_URL: 'https://ads-api.test',
  POSTERN_ADS_SANDBOX_BASE_URL: 'https://ads-api-sandbox.test',
}

/** What production needs besides, where the test itself is the proxy that ends TLS. */
const productionDefaults = async () => ({
  ...PUBLIC,
  POSTERN_PORT: String(await freePort()),
  POSTERN_ADS_PORT: String(await freePort()),
  POSTERN_ADS_SANDBOX_PORT: String(await freePort()),
  POSTERN_TRUST_PROXY: '127.0.0.0/8',
})

/** Most tests publish events whose payloads say nothing: they are not about what events carry. */
const developmentDefaults = { POSTERN_PORT: '0', POSTERN_ADS_PORT: '0', POSTERN_ADS_SANDBOX_PORT: '0', POSTERN_EVENT_WARNINGS: 'off' }

export type StageEnvironment = Record<string, string>

export const isProduction = ({ POSTERN_PROFILE }: StageEnvironment) => POSTERN_PROFILE === 'production'

/** The settings of a server under test: on free ports, where the test names none. */
export async function stageSettings(environment: StageEnvironment): Promise<Settings> {
  const defaults = isProduction(environment) ? await productionDefaults() : developmentDefaults
  return readSettings({ ...defaults, ...environment })
}
