import { Resolver } from 'node:dns'
import { readNetworks } from './delivery/send/address-guard.ts'
import { formatDuration, parseDuration } from './lib/duration.ts'

export type Profile = 'development' | 'production'

/** The settings cannot be used; `mistakes` names each with what to do. */
export class SettingsError extends Error {
  readonly mistakes: string[]
  constructor(mistakes: string[]) {
    super(`Postern cannot start:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`)
    this.mistakes = mistakes
  }
}

interface Setting<T> {
  /** The environment variable. */
  variable: string
  /** What it is when unset, by profile; undefined: nothing, and the code says what that means. */
  fallback: (profile: Profile) => string | undefined
  meaning: string
  /** As the documentation prints the default. */
  shownDefault: string
  secret?: boolean
  /** Throws an Error whose message ends the sentence `<variable> …`. */
  read: (text: string) => T
}

type Default = string | undefined | { development: string | undefined; production: string | undefined }

const fallbackOf = (value: Default) => (profile: Profile) => (typeof value === 'object' ? value[profile] : value)

const shown = (value: string | undefined) => (value === undefined ? '–' : value === '' ? 'nothing' : `\`${value}\``)

function printDefault(value: Default): string {
  if (typeof value !== 'object') return shown(value)
  return `${shown(value.development)} (development), ${shown(value.production)} (production)`
}

const setting = <T>(
  variable: string,
  fallback: Default,
  meaning: string,
  read: (text: string) => T,
  more: { secret?: boolean; shownDefault?: string } = {},
): Setting<T> => ({ variable, fallback: fallbackOf(fallback), meaning, read, shownDefault: printDefault(fallback), ...more })

const words = (text: string) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')

const anyText = (text: string) => text

function choice<const Values extends readonly string[]>(...values: Values) {
  return (text: string): Values[number] => {
    if (!values.includes(text)) throw new Error(`must be one of ${values.join(', ')}, not "${text}"`)
    return text as Values[number]
  }
}

function port(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > 65535) throw new Error(`must be a port from 0 to 65535 (0: any free one), not "${text}"`)
  return value
}

function duration(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined) throw new Error(`must be a duration such as 500ms, 10s, 5m or 1h, not "${text}"`)
  return ms
}

function origins(text: string): string[] {
  return words(text).map((word) => {
    const url = URL.canParse(word) ? new URL(word) : undefined
    if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash || url.username)
      throw new Error(`must be origins such as https://api.example.com, comma separated; "${word}" is none`)
    return url.origin
  })
}

function absoluteUrl(text: string): string {
  if (!URL.canParse(text)) throw new Error(`must be an absolute URL, not "${text}"`)
  return text.replace(/\/+$/, '')
}

function databaseUrl(text: string): string {
  if (!/^(sqlite:.+|postgres(ql)?:\/\/.+)$/.test(text)) throw new Error('must be sqlite:<file>, sqlite::memory: or postgres://…')
  return text
}

function networks(text: string): string[] {
  const cidrs = words(text)
  readNetworks(cidrs)
  return cidrs
}

function nameServers(text: string): string[] {
  const servers = words(text)
  try {
    new Resolver().setServers(servers)
  } catch {
    throw new Error(`must be addresses such as 10.0.0.53, 127.0.0.1:5353 or [fd00::53]:53, comma separated, not "${text}"`)
  }
  return servers
}

const LEAST_SECRET_CHARACTERS = 32

function secret(text: string): string {
  if (text.length < LEAST_SECRET_CHARACTERS) throw new Error(`must have at least ${LEAST_SECRET_CHARACTERS} characters`)
  return text
}

const LOOPBACK = '127.0.0.0/8,::1/128'

/** Every setting there is. The documentation is printed from this. */
export const settingsTable = {
  profile: setting(
    'POSTERN_PROFILE',
    'development',
    'How much is given away. `production`: no demo seed, no secret or token made up, no private callbacks, no clock, no reset; refuses to start while something it needs is missing.',
    choice('development', 'production'),
  ),
  host: setting(
    'POSTERN_HOST',
    '127.0.0.1',
    'Where it listens. The development profile refuses anything but loopback unless `POSTERN_EXPOSE_DEVELOPMENT=1`.',
    anyText,
  ),
  exposeDevelopment: setting(
    'POSTERN_EXPOSE_DEVELOPMENT',
    '0',
    '`1` lets the development profile listen beyond loopback.',
    (text) => choice('0', '1')(text) === '1',
  ),
  port: setting('POSTERN_PORT', '4000', 'Port of the general host; 0: any free port.', port),
  adsPort: setting('POSTERN_ADS_PORT', '4001', 'Port of the advertising host.', port),
  adsSandboxPort: setting('POSTERN_ADS_SANDBOX_PORT', '4002', 'Port of the advertising sandbox host.', port),
  operatorPort: setting('POSTERN_OPERATOR_PORT', undefined, 'Port where `/operator` and `/metrics` answer. Required in production.', port, {
    shownDefault: 'the general port (development)',
  }),
  operatorHost: setting('POSTERN_OPERATOR_HOST', '127.0.0.1', 'Where the operator port listens.', anyText),
  baseUrls: setting(
    'POSTERN_BASE_URL',
    undefined,
    'Public origins of the general host, comma separated; the first is used in links.',
    origins,
    { shownDefault: '`http://<host>:<port>`' },
  ),
  adsBaseUrls: setting('POSTERN_ADS_BASE_URL', undefined, 'Public origins of the advertising host.', origins, {
    shownDefault: '`http://<host>:<port>`',
  }),
  adsSandboxBaseUrls: setting('POSTERN_ADS_SANDBOX_BASE_URL', undefined, 'Public origins of the advertising sandbox host.', origins, {
    shownDefault: '`http://<host>:<port>`',
  }),
  problemBaseUrl: setting('POSTERN_PROBLEM_BASE_URL', undefined, 'Prefix of problem types.', absoluteUrl, {
    shownDefault: '`<first base url>/2/problems`',
  }),
  trustProxy: setting(
    'POSTERN_TRUST_PROXY',
    { development: LOOPBACK, production: '' },
    'Networks whose `X-Forwarded-Proto` and `X-Forwarded-Host` are believed; comma separated CIDRs.',
    words,
  ),
  databaseUrl: setting(
    'POSTERN_DATABASE_URL',
    'sqlite:.postern/postern.db',
    '`sqlite:<file>`, `sqlite::memory:` or `postgres://…`.',
    databaseUrl,
  ),
  secrets: setting(
    'POSTERN_SECRET',
    undefined,
    'What seals secrets at rest; at least 32 characters. A comma list: the first seals, all open. A wrong one is a refusal to start.',
    (text) => words(text).map(secret),
    { secret: true, shownDefault: '`.postern/secret`, made once (development)' },
  ),
  seed: setting('POSTERN_SEED', undefined, 'A seed file to load at start; loading it again changes nothing.', anyText, {
    shownDefault: 'the demo seed (development)',
  }),
  operatorToken: setting(
    'POSTERN_OPERATOR_TOKEN',
    undefined,
    'Bearer token of the operator endpoints, at least 32 characters; without one they are 404.',
    secret,
    { secret: true, shownDefault: '`.postern/operator-token`, made once (development)' },
  ),
  dialect: setting('POSTERN_DIALECT', 'spec', 'The spelling of names on the way out: `spec` or `x`.', choice('spec', 'x')),
  rateLimits: setting('POSTERN_RATE_LIMITS', 'on', '`on`, `off`, or a JSON file of overrides: `{"createWebhook": 10}`.', anyText),
  callbackAllow: setting(
    'POSTERN_CALLBACK_ALLOW',
    { development: LOOPBACK, production: '' },
    'Private networks that callbacks may reach; comma separated CIDRs.',
    networks,
  ),
  callbackCa: setting(
    'POSTERN_CALLBACK_CA',
    undefined,
    'A PEM file of certificate authorities that callbacks may use besides the usual ones.',
    anyText,
  ),
  callbackTimeoutMs: setting(
    'POSTERN_CALLBACK_TIMEOUT',
    '10s',
    'The deadline of a delivery, over name resolution, connection, TLS, headers and body.',
    duration,
  ),
  callbackResolvers: setting(
    'POSTERN_CALLBACK_RESOLVER',
    undefined,
    "DNS servers for callback names, `address:port`, comma separated; the machine's own when unset.",
    nameServers,
  ),
  retryPlanMs: setting(
    'POSTERN_RETRY_PLAN',
    '5s,30s,2m,10m,1h,4h',
    'The longest wait before each retry of a delivery; the actual one is drawn below it (full jitter).',
    (text) => words(text).map(duration),
  ),
  retentionMs: setting('POSTERN_RETENTION', '25h', 'How long events are kept for replay; at least 24h.', duration),
  logLevel: setting(
    'POSTERN_LOG_LEVEL',
    'info',
    '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
    choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
}

type Table = typeof settingsTable
type Required =
  | 'profile'
  | 'host'
  | 'exposeDevelopment'
  | 'port'
  | 'adsPort'
  | 'adsSandboxPort'
  | 'operatorHost'
  | 'trustProxy'
  | 'databaseUrl'
  | 'dialect'
  | 'rateLimits'
  | 'callbackAllow'
  | 'callbackTimeoutMs'
  | 'retryPlanMs'
  | 'retentionMs'
  | 'logLevel'

/** The settings as read. Those without a default may be absent. */
export type Settings = { [K in keyof Table & Required]: ReturnType<Table[K]['read']> } & {
  [K in Exclude<keyof Table, Required>]?: ReturnType<Table[K]['read']>
}

const DAY_MS = 86_400_000

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127\./.test(host)

/** What must hold between settings. */
function conflicts(settings: Settings): string[] {
  const { profile } = settings
  const found: string[] = []
  if (profile === 'production' && !settings.secrets)
    found.push('POSTERN_SECRET is required in production: set it to at least 32 random characters')
  if (profile === 'production' && settings.operatorPort === undefined)
    found.push('POSTERN_OPERATOR_PORT is required in production: set it to a port that only operators reach')
  if (profile === 'development' && !settings.exposeDevelopment && !isLoopback(settings.host))
    found.push(
      `POSTERN_HOST is ${settings.host}, but the development profile listens on loopback only: use POSTERN_PROFILE=production, or set POSTERN_EXPOSE_DEVELOPMENT=1`,
    )
  if (settings.retentionMs < DAY_MS)
    found.push(`POSTERN_RETENTION must be at least 24h, the replay window, not ${formatDuration(settings.retentionMs)}`)
  return found
}

type Environment = Record<string, string | undefined>

function readOne(name: string, row: Setting<unknown>, profile: Profile, environment: Environment, mistakes: string[]) {
  const text = environment[row.variable] ?? row.fallback(profile)
  if (text === undefined) return []
  try {
    return [[name, row.read(text)]]
  } catch (error) {
    mistakes.push(`${row.variable} ${(error as Error).message}`)
    return []
  }
}

/** Variables that look like settings and are none: probably misspelt. */
export function unknownVariables(environment: Environment = process.env): string[] {
  const known = new Set<string>(Object.values(settingsTable).map(({ variable }) => variable))
  return Object.keys(environment).filter((name) => name.startsWith('POSTERN_') && !name.startsWith('POSTERN_TEST_') && !known.has(name))
}

/** Reads every setting, or throws a SettingsError that names everything wrong at once. An empty variable is one that is not set. */
export function readSettings(environment: Environment = process.env): Settings {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const profile: Profile = set.POSTERN_PROFILE === 'production' ? 'production' : 'development'
  const mistakes: string[] = []
  const read = Object.entries(settingsTable).flatMap(([name, row]) => readOne(name, row as Setting<unknown>, profile, set, mistakes))
  if (mistakes.length > 0) throw new SettingsError(mistakes)
  const settings = Object.fromEntries(read) as Settings
  const found = conflicts(settings)
  if (found.length > 0) throw new SettingsError(found)
  return settings
}
