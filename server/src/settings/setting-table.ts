import { HOUR_MS } from '../lib/time.ts'
import { readMediaStore } from '../storage/media-files/open-media-files.ts'
import { eventsFrom } from './events-from.ts'
import { certificates, executable, limitsSetting, readableFile } from './file-readers.ts'
import { readEach } from './mistakes.ts'
import { operatorTokenList } from './operator-tokens.ts'
import {
  absoluteUrl,
  anyText,
  bytes,
  choice,
  databaseUrl,
  duration,
  logUrlList,
  nameServers,
  networks,
  origin,
  origins,
  port,
  roleList,
  secret,
  secretList,
  words,
} from './setting-readers.ts'

export type Profile = 'development' | 'production'

export interface Setting<T, HasDefault extends boolean = boolean> {
  /** The environment variable. */
  variable: string
  /** What it is when unset, by profile; undefined: nothing, and the code says what that means. */
  fallback: (profile: Profile) => string | undefined
  meaning: string
  /** As the documentation prints the default. */
  shownDefault: string
  /** Carries a secret: its value may also stand in a file, which `<variable>_FILE` names. */
  secret?: boolean
  /** What to do about an empty value in production, where it would silently mean that the setting is unset: follows `is empty: `. */
  notEmpty?: string
  /** `notEmpty` holds in development too. */
  isNeverEmpty?: true
  /**
   * What processes that share a database must have alike (`must`: else data would be wrong) or should (`should`: else a client finds another
   * server with every call).
   */
  shared?: 'must' | 'should'
  /** Holds the type: whether both profiles have a default, so that there is always a value. Nothing is ever there. */
  readonly hasDefault?: HasDefault
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

/** Whether a default holds in both profiles. */
type Holds<D> = D extends string ? true : D extends { development: string; production: string } ? true : false

const setting = <T, const D extends Default>(
  variable: string,
  fallback: D,
  meaning: string,
  read: (text: string) => T,
  more: Partial<Pick<Setting<T>, 'secret' | 'shownDefault' | 'notEmpty' | 'isNeverEmpty' | 'shared'>> = {},
): Setting<T, Holds<D>> => ({ variable, fallback: fallbackOf(fallback), meaning, read, shownDefault: printDefault(fallback), ...more })

const ORIGIN_DEFAULT = '`http://<host>:<port>` (development)'
const EMPTY_TOKEN = 'set it, or unset it if there is to be no such token'

const LOOPBACK = '127.0.0.0/8,::1/128'

/** Every setting there is. The documentation is printed from this. */
export const settingsTable = {
  profile: setting(
    'POSTERN_PROFILE',
    'development',
    '`development` or `production`. In `production` there is no demo seed, no generated secret or token, no callback to a private address, and no `/operator/clock` or `/operator/reset`; Postern refuses to start if a required setting is missing or unsafe.',
    choice('development', 'production'),
    { shared: 'must' },
  ),
  roles: setting(
    'POSTERN_ROLES',
    'api,delivery,stream',
    'What this process does, of several that share a PostgreSQL: `api` serves calls, `delivery` sends events, `stream` holds activity streams; comma-separated. [roles.md](roles.md) has the table. Without `api` it needs `POSTERN_OPERATOR_PORT` and `POSTERN_BASE_URL`.',
    roleList,
    { notEmpty: 'name api, delivery or stream, or unset it for all of them', isNeverEmpty: true },
  ),
  host: setting(
    'POSTERN_HOST',
    '127.0.0.1',
    'Address to listen on. The development profile accepts only loopback unless `POSTERN_EXPOSE_DEVELOPMENT=1`.',
    anyText,
  ),
  exposeDevelopment: setting(
    'POSTERN_EXPOSE_DEVELOPMENT',
    '0',
    '`1` lets the development profile listen beyond loopback, and be called by its addresses, by the name of the machine and by names without a dot.',
    (text) => choice('0', '1')(text) === '1',
  ),
  port: setting('POSTERN_PORT', '4000', 'Port of the general host; 0: any free port.', port),
  adsPort: setting('POSTERN_ADS_PORT', '4001', 'Port of the advertising host.', port),
  adsSandboxPort: setting('POSTERN_ADS_SANDBOX_PORT', '4002', 'Port of the advertising sandbox host.', port),
  operatorPort: setting('POSTERN_OPERATOR_PORT', undefined, 'Port where `/operator` and `/metrics` answer. Required in production.', port, {
    shownDefault: 'the general port (development)',
  }),
  operatorHost: setting('POSTERN_OPERATOR_HOST', '127.0.0.1', 'Address that the operator port listens on.', anyText),
  drainMs: setting(
    'POSTERN_DRAIN',
    { development: '0s', production: '5s' },
    'After SIGTERM or SIGINT: how long it still serves while `/readyz` says 503, so that balancers notice, before it stops listening. A second signal ends it.',
    duration(),
  ),
  databaseWaitMs: setting(
    'POSTERN_DATABASE_WAIT',
    { development: '0s', production: '10s' },
    'How long PostgreSQL may be away, as while it restarts, until calls are answered with 503: reads, sign-in and events that were published wait, and are handled once it is back.',
    duration(),
  ),
  baseUrls: setting(
    'POSTERN_BASE_URL',
    undefined,
    'Public origins of the general host, comma-separated; the first is used in links. Required in production, with https. In development a `Host` header with another name is refused.',
    origins,
    { shared: 'should', shownDefault: ORIGIN_DEFAULT },
  ),
  adsBaseUrls: setting('POSTERN_ADS_BASE_URL', undefined, 'The same for the advertising host.', origins, {
    shared: 'should',
    shownDefault: ORIGIN_DEFAULT,
  }),
  adsSandboxBaseUrls: setting('POSTERN_ADS_SANDBOX_BASE_URL', undefined, 'The same for the advertising sandbox host.', origins, {
    shared: 'should',
    shownDefault: ORIGIN_DEFAULT,
  }),
  mediaBaseUrl: setting(
    'POSTERN_MEDIA_BASE_URL',
    undefined,
    'An origin of its own for uploaded media, served by the general host. Requests by its name reach media and nothing else, and media are found nowhere else.',
    origin,
    { shared: 'should', shownDefault: 'the general host' },
  ),
  problemBaseUrl: setting('POSTERN_PROBLEM_BASE_URL', undefined, 'Prefix of the `type` URLs in problem responses.', absoluteUrl, {
    shared: 'should',
    shownDefault: '`<first base url>/2/problems`',
  }),
  trustProxy: setting(
    'POSTERN_TRUST_PROXY',
    { development: LOOPBACK, production: '' },
    'Networks of trusted reverse proxies, whose `X-Forwarded-Proto`, `X-Forwarded-Host` and `X-Forwarded-For` are used; comma-separated CIDRs. In production every call that no trusted proxy received over TLS is refused.',
    networks,
  ),
  databaseUrl: setting(
    'POSTERN_DATABASE_URL',
    'sqlite:.postern/postern.db',
    '`sqlite:<file>`, `sqlite::memory:` or `postgres://…`.',
    databaseUrl,
    { secret: true },
  ),
  logUrls: setting(
    'POSTERN_LOG_URLS',
    undefined,
    'The PostgreSQL databases that carry the event log, 1 to 16 of `postgres://…`, comma-separated; a comma in one is written `%2C`. All processes name the same. [logs.md](logs.md) says how to start, add and take out one.',
    logUrlList,
    { secret: true, shownDefault: 'the database of `POSTERN_DATABASE_URL`' },
  ),
  mediaStore: setting(
    'POSTERN_MEDIA_STORE',
    undefined,
    'Folder of uploaded media, or `s3://bucket/prefix?endpoint=https://…&region=…`; the usual settings of AWS have the credentials. Processes that share a database must share it.',
    readMediaStore,
    { shared: 'should', shownDefault: '`media` beside the SQLite file; a temporary folder in memory; `.postern/media` with PostgreSQL' },
  ),
  ffmpeg: setting(
    'POSTERN_FFMPEG',
    undefined,
    'The program `ffmpeg`, by its path, which then decodes the first frame of each uploaded video: its poster. Videos have none without it.',
    executable,
    { shownDefault: 'none' },
  ),
  mediaQuotaBytes: setting('POSTERN_MEDIA_QUOTA', '10GB', 'How much one user may upload altogether.', bytes, { shared: 'should' }),
  acceptLogLoss: setting(
    'POSTERN_ACCEPT_LOG_LOSS',
    undefined,
    'Id of a loss that the error at the start names, of the event log or of the write-ahead log of the database: start without what is lost. Works once.',
    anyText,
  ),
  secrets: setting(
    'POSTERN_SECRET',
    undefined,
    'Encryption key for secrets and tokens at rest; at least 32 characters. For key rotation a comma-separated list: the first encrypts, all decrypt. Postern refuses to start with a wrong one.',
    secretList,
    { secret: true, shownDefault: '`.postern/secret`, generated (development)' },
  ),
  eventsFrom: setting(
    'POSTERN_EVENTS_FROM',
    undefined,
    'A stream of NATS JetStream that events are taken from: `nats://user:password@host:4222?stream=EVENTS`, or `tls://…`. [broker.md](broker.md) has its parameters. Taken by processes with the role `delivery`.',
    eventsFrom,
    { secret: true, shownDefault: 'none', notEmpty: 'set it to the URL of a broker, or unset it if events are published by HTTP alone' },
  ),
  seed: setting('POSTERN_SEED', undefined, 'A seed file to load at start; loading is idempotent.', readableFile, {
    shownDefault: 'the demo seed (development)',
  }),
  operatorToken: setting(
    'POSTERN_OPERATOR_TOKEN',
    undefined,
    'Bearer token of the operator endpoints, at least 32 characters; it has no name and may do everything. Without any token they answer 404.',
    secret,
    { secret: true, shownDefault: '`.postern/operator-token`, generated (development)', notEmpty: EMPTY_TOKEN },
  ),
  operatorTokens: setting(
    'POSTERN_OPERATOR_TOKENS',
    undefined,
    'More operator tokens, comma-separated `name:role:token`. The audit log records the name. The role is `read` (GET alone) or `operate`. Names are unique; a token has at least 32 characters and no comma.',
    operatorTokenList,
    { secret: true, notEmpty: EMPTY_TOKEN },
  ),
  dialect: setting(
    'POSTERN_DIALECT',
    'spec',
    'Spelling of names in the interface: `spec`, or `x` (`tweet`, `twitter`) for clients written for those.',
    choice('spec', 'x'),
    { shared: 'must' },
  ),
  rateLimits: setting(
    'POSTERN_RATE_LIMITS',
    'on',
    '`on`, `off`, or a JSON file of overrides: `{"createWebhook": 10}`. The advertising hosts count in buckets: `adsWrites`, `adsCoreReads`, `adsReads`, `adsTotals`. Wrong credentials are limited by `failedAppSecrets`, `failedClientSecrets`, `failedSignatures` and `failedOperatorTokens`; calls from the portal of an app by `portalReads` and `portalActs`.',
    limitsSetting,
    { shared: 'should' },
  ),
  callbackAllow: setting(
    'POSTERN_CALLBACK_ALLOW',
    { development: LOOPBACK, production: '' },
    'Private networks that callbacks may reach; comma-separated CIDRs.',
    networks,
    { shared: 'should' },
  ),
  callbackCa: setting('POSTERN_CALLBACK_CA', undefined, 'Extra CA certificates (PEM file) to trust for callbacks.', certificates),
  callbackTimeoutMs: setting(
    'POSTERN_CALLBACK_TIMEOUT',
    '10s',
    'Timeout of one delivery attempt, from DNS resolution to the last byte of the body.',
    duration(1),
    { shared: 'should' },
  ),
  callbackResolvers: setting(
    'POSTERN_CALLBACK_RESOLVER',
    undefined,
    "DNS servers for callback names, comma-separated `address:port`; default: the system's resolver.",
    nameServers,
  ),
  retryPlanMs: setting(
    'POSTERN_RETRY_PLAN',
    '5s,30s,2m,10m,1h,4h',
    'Backoff: the delay before each retry, or the longest with jitter.',
    (text) => readEach(words(text), duration()),
    { shared: 'should' },
  ),
  retryJitter: setting(
    'POSTERN_RETRY_JITTER',
    { development: 'none', production: 'equal' },
    '`equal`: the delay before a retry is random, from half of that of the plan to all of it, so that the deliveries that failed together are not retried together. `none`: it is exactly that of the plan, so that a test can wait for it.',
    choice('equal', 'none'),
    { shared: 'should' },
  ),
  retentionMs: setting(
    'POSTERN_RETENTION',
    '25h',
    'How long events are kept for replay; at least 24h, the replay window.',
    duration(24 * HOUR_MS),
    { shared: 'must' },
  ),
  eventWarnings: setting(
    'POSTERN_EVENT_WARNINGS',
    { development: 'on', production: 'off' },
    '`on` checks published events against what their types declare: the answer of `POST /operator/events` has `warnings`, and a log line the first of them. `off` saves the time.',
    (text) => choice('on', 'off')(text) === 'on',
    { shared: 'should' },
  ),
  logLevel: setting(
    'POSTERN_LOG_LEVEL',
    'info',
    '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
    choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
}

type Table = typeof settingsTable
type Required = { [K in keyof Table]: Table[K]['hasDefault'] extends true | undefined ? K : never }[keyof Table]

/** The settings as read. Those without a default may be absent. */
export type Settings = { [K in Required]: ReturnType<Table[K]['read']> } & {
  [K in Exclude<keyof Table, Required>]?: ReturnType<Table[K]['read']>
}
