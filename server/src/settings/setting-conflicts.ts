import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { dirname, resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { coverAllAddresses } from '../lib/address-ranges.ts'
import { isPlaceholder } from '../lib/placeholders.ts'
import { hasAllRoles, nameRoles } from './roles.ts'
import { type Settings, settingsTable } from './setting-table.ts'

const LOOPBACK_HOST = /^(localhost|::1|\[::1\]|127(\.\d+){3})$/

const isLoopback = (host: string) => LOOPBACK_HOST.test(host)

/** Whether a host is `0.0.0.0` or `::` in some spelling: every address of this machine, and none that a client can call. */
function isEveryAddress(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1')
  return isIP(address) !== 0 && ipaddr.process(address).range() === 'unspecified'
}

/** The networks of a list that add up to everything: the one that alone does, else the whole list. */
function everything(networks: readonly string[]): string | undefined {
  return networks.find((network) => coverAllAddresses([network])) ?? (coverAllAddresses(networks) ? networks.join(',') : undefined)
}

/** Lists that let everything through. */
function listsOfEverything({ callbackAllow, trustProxy }: Settings): string[] {
  const [reachable, trusted] = [everything(callbackAllow), everything(trustProxy)]
  return [
    ...(reachable
      ? [
          `POSTERN_CALLBACK_ALLOW holds ${reachable}, which lets callbacks reach your whole network: set it to the networks that they may reach`,
        ]
      : []),
    ...(trusted
      ? [
          `POSTERN_TRUST_PROXY holds ${trusted}, which trusts X-Forwarded-* headers from any address: set it to the networks of your proxies`,
        ]
      : []),
  ]
}

/** Every listener's port by its setting, for those whose port is chosen. */
function chosenPorts(settings: Settings): [name: string, port: number][] {
  const ports: [string, number | undefined][] = [
    ['POSTERN_PORT', settings.port],
    ['POSTERN_ADS_PORT', settings.adsPort],
    ['POSTERN_ADS_SANDBOX_PORT', settings.adsSandboxPort],
    ['POSTERN_OPERATOR_PORT', settings.operatorPort],
  ]
  return ports.filter((entry): entry is [string, number] => Boolean(entry[1]))
}

function samePorts(settings: Settings): string[] {
  return [...Map.groupBy(chosenPorts(settings), ([, port]) => port)]
    .filter(([, sharing]) => sharing.length > 1)
    .map(([port, sharing]) => `${sharing.map(([name]) => name).join(' and ')} are both ${port}: give each a port of its own`)
}

const AS_SERVED = 'set it to the https origin that your proxy serves, such as'

/** Why clients cannot use a public origin, or must not. */
function originMistakes(variable: string, urls: readonly string[] | undefined, example: string): string[] {
  if (!urls) return [`${variable} is required in production: ${AS_SERVED} ${example}`]
  return urls.flatMap((url) => {
    if (isEveryAddress(new URL(url).hostname)) return [`${variable} names ${url}, which no client can call: ${AS_SERVED} ${example}`]
    if (!url.startsWith('http:')) return []
    return [`${variable} names ${url}: in production tokens must not be sent unencrypted; ${AS_SERVED} ${example}`]
  })
}

const placeholderMistakes = (variable: string, secrets: readonly (string | undefined)[] = []) =>
  secrets.some((secret) => secret !== undefined && isPlaceholder(secret))
    ? [`${variable} holds a placeholder, which anybody could guess: generate one with \`openssl rand -base64 36\``]
    : []

/** A folder is not created for a database that was named: its path is nearly always mistyped. */
function missingFolder({ databaseUrl }: Settings): string[] {
  const { variable, fallback } = settingsTable.databaseUrl
  if (!databaseUrl.startsWith('sqlite:') || databaseUrl === 'sqlite::memory:' || databaseUrl === fallback('production')) return []
  const folder = dirname(resolve(databaseUrl.slice('sqlite:'.length)))
  return existsSync(folder) ? [] : [`${variable} is ${databaseUrl}, but there is no folder ${folder}: create it, or correct the path`]
}

/** What production needs, and what it must not have. */
function unsafeInProduction(settings: Settings): string[] {
  const found: string[] = []
  if (!settings.secrets)
    found.push(
      'POSTERN_SECRET is required in production: set it to at least 32 random characters, or POSTERN_SECRET_FILE to a file of them',
    )
  if (settings.operatorPort === undefined)
    found.push('POSTERN_OPERATOR_PORT is required in production: set it to a port that only operators reach')
  if (settings.databaseUrl === 'sqlite::memory:')
    found.push(
      'POSTERN_DATABASE_URL is sqlite::memory:, which loses all events when the process exits: set it to sqlite:<file> or postgres://…',
    )
  return [
    ...found,
    ...missingFolder(settings),
    ...placeholderMistakes('POSTERN_SECRET', settings.secrets),
    ...placeholderMistakes('POSTERN_OPERATOR_TOKEN', [settings.operatorToken]),
    ...placeholderMistakes(
      'POSTERN_OPERATOR_TOKENS',
      settings.operatorTokens?.map(({ token }) => token),
    ),
    ...listsOfEverything(settings),
    ...originMistakes('POSTERN_BASE_URL', settings.baseUrls, 'https://api.example.com'),
    ...(settings.mediaBaseUrl ? originMistakes('POSTERN_MEDIA_BASE_URL', [settings.mediaBaseUrl], 'https://media.example.com') : []),
    ...originMistakes('POSTERN_ADS_BASE_URL', settings.adsBaseUrls, 'https://ads-api.example.com'),
    ...originMistakes('POSTERN_ADS_SANDBOX_BASE_URL', settings.adsSandboxBaseUrls, 'https://ads-api-sandbox.example.com'),
  ]
}

function unsafeInDevelopment({ exposeDevelopment, host, operatorHost, operatorPort }: Settings): string[] {
  if (exposeDevelopment) return []
  const hosts: [string, string][] = [['POSTERN_HOST', host]]
  if (operatorPort !== undefined) hosts.push(['POSTERN_OPERATOR_HOST', operatorHost])
  return hosts
    .filter(([, address]) => !isLoopback(address))
    .map(
      ([name, address]) =>
        `${name} is ${address}, but the development profile listens on loopback only: use POSTERN_PROFILE=production, or set POSTERN_EXPOSE_DEVELOPMENT=1`,
    )
}

function sameOperatorTokens({ operatorToken, operatorTokens = [] }: Settings): string[] {
  return operatorTokens.some(({ token }) => token === operatorToken)
    ? ['POSTERN_OPERATOR_TOKENS holds the token of POSTERN_OPERATOR_TOKEN: give each a token of its own']
    : []
}

/** Media on a name that serves pages could be opened there. */
function sharedMediaHost({ mediaBaseUrl, baseUrls = [], adsBaseUrls = [], adsSandboxBaseUrls = [] }: Settings): string[] {
  if (mediaBaseUrl === undefined) return []
  const shared = [...baseUrls, ...adsBaseUrls, ...adsSandboxBaseUrls].find(
    (url) => new URL(url).hostname === new URL(mediaBaseUrl).hostname,
  )
  return shared === undefined
    ? []
    : [`POSTERN_MEDIA_BASE_URL names the host of ${shared}: give media a name of their own, or unset it to serve them on the general host`]
}

/** A part of the roles is for one of several processes; without `api` a process has no host of its own for probes, nor an origin to name. */
function rolesApart({ roles, databaseUrl, operatorPort, baseUrls, profile }: Settings): string[] {
  if (hasAllRoles(roles)) return []
  const found: string[] = []
  if (databaseUrl.startsWith('sqlite:'))
    found.push(
      `POSTERN_ROLES is ${roles.join(',')}, but SQLite has one process, which does everything: unset POSTERN_ROLES, or set POSTERN_DATABASE_URL to postgres://…`,
    )
  // Production requires both of every process.
  if (roles.includes('api') || profile === 'production') return found
  const without = `is required of a process with the ${nameRoles(roles)} alone: set it to`
  if (operatorPort === undefined) found.push(`POSTERN_OPERATOR_PORT ${without} a port, where its probes and metrics answer`)
  if (baseUrls === undefined) found.push(`POSTERN_BASE_URL ${without} the origin of the processes with the role api`)
  return found
}

/** Several logs need processes that know which has what: the state is a PostgreSQL too. */
function logsBesideSqlite({ logUrls, databaseUrl }: Settings): string[] {
  return logUrls === undefined || databaseUrl.startsWith('postgres')
    ? []
    : [`POSTERN_LOG_URLS is set, but POSTERN_DATABASE_URL is a SQLite database: unset the one, or set the other to postgres://…`]
}

/** What must hold between settings, and what of it does not: sentences that say what to set. */
export const conflicts = (settings: Settings): string[] => [
  ...(settings.profile === 'production' ? unsafeInProduction(settings) : unsafeInDevelopment(settings)),
  ...samePorts(settings),
  ...rolesApart(settings),
  ...logsBesideSqlite(settings),
  ...sharedMediaHost(settings),
  ...sameOperatorTokens(settings),
]

/** Whether a URL leads to another machine, over a connection that need not be encrypted. */
function mayBeUnencrypted(url: string): boolean {
  const database = url.startsWith('postgres') ? URL.parse(url) : null
  return database !== null && !isLoopback(database.hostname) && database.hostname !== '' && !database.searchParams.has('sslmode')
}

function warnedInProduction({ rateLimits, databaseUrl, logUrls = [], trustProxy, operatorToken, operatorTokens = [] }: Settings): string[] {
  const found: string[] = []
  if (operatorToken === undefined && operatorTokens.length === 0)
    found.push(
      'POSTERN_OPERATOR_TOKEN is not set, nor is POSTERN_OPERATOR_TOKENS: the operator endpoints answer 404, so nobody can publish events',
    )
  if (trustProxy.length === 0)
    found.push(
      'POSTERN_TRUST_PROXY is not set: every call with credentials is refused as unencrypted; set it to the networks of your proxies',
    )
  if (rateLimits === 'off') found.push('POSTERN_RATE_LIMITS is off: there are no rate limits')
  const NO_SSLMODE = 'has no sslmode: add ?sslmode=verify-full, unless the network to the database is private'
  if (mayBeUnencrypted(databaseUrl)) found.push(`POSTERN_DATABASE_URL ${NO_SSLMODE}`)
  if (logUrls.some(mayBeUnencrypted)) found.push(`POSTERN_LOG_URLS ${NO_SSLMODE}`)
  return found
}

/** Without a port of their own, operator endpoints and metrics are on the general port, which production does not allow. */
function operatorOnGeneralPort({ host, operatorPort }: Settings): string[] {
  if (operatorPort !== undefined || isLoopback(host)) return []
  return [
    `POSTERN_HOST is ${host}: whoever reaches this address reaches /operator and /metrics, without TLS, and /metrics without a token; set POSTERN_OPERATOR_PORT to have them on a port of loopback`,
  ]
}

const warnedInDevelopment = (settings: Settings): string[] => [...listsOfEverything(settings), ...operatorOnGeneralPort(settings)]

/** What is allowed and may not be meant: sentences that say so. */
export function warnings(settings: Settings): string[] {
  const { profile, operatorPort, operatorHost } = settings
  const openOperator = operatorPort !== undefined && isEveryAddress(operatorHost)
  return [
    ...(profile === 'production' ? warnedInProduction : warnedInDevelopment)(settings),
    ...(openOperator
      ? [
          `POSTERN_OPERATOR_HOST is ${operatorHost}: every network of this machine reaches the operator port, without TLS; set it to an address that only operators reach`,
        ]
      : []),
  ]
}
