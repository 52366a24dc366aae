import type { Settings } from './setting-table.ts'

const LOOPBACK_HOST = /^(localhost|::1|\[::1\]|127(\.\d+){3})$/

const isLoopback = (host: string) => LOOPBACK_HOST.test(host)

const everyone = (networks: readonly string[]) => networks.find((network) => network.endsWith('/0'))

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

const plainOrigins = (variable: string, urls: readonly string[] = []) =>
  urls
    .filter((url) => url.startsWith('http:') && !isLoopback(new URL(url).hostname))
    .map(
      (url) =>
        `${variable} names ${url}: in production tokens must not be sent unencrypted; set it to the https origin that your proxy serves`,
    )

/** What production needs, and what it must not have. */
function unsafeInProduction(settings: Settings): string[] {
  const found: string[] = []
  if (!settings.secrets) found.push('POSTERN_SECRET is required in production: set it to at least 32 random characters')
  if (settings.operatorPort === undefined)
    found.push('POSTERN_OPERATOR_PORT is required in production: set it to a port that only operators reach')
  if (settings.databaseUrl === 'sqlite::memory:')
    found.push(
      'POSTERN_DATABASE_URL is sqlite::memory:, which loses all events when the process exits: set it to sqlite:<file> or postgres://…',
    )
  const reachable = everyone(settings.callbackAllow)
  if (reachable)
    found.push(
      `POSTERN_CALLBACK_ALLOW holds ${reachable}, which lets callbacks reach your whole network: set it to the networks that they may reach`,
    )
  const trusted = everyone(settings.trustProxy)
  if (trusted)
    found.push(
      `POSTERN_TRUST_PROXY holds ${trusted}, which trusts X-Forwarded-* headers from any address: set it to the networks of your proxies`,
    )
  return [
    ...found,
    ...plainOrigins('POSTERN_BASE_URL', settings.baseUrls),
    ...plainOrigins('POSTERN_ADS_BASE_URL', settings.adsBaseUrls),
    ...plainOrigins('POSTERN_ADS_SANDBOX_BASE_URL', settings.adsSandboxBaseUrls),
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

/** What must hold between settings, and what of it does not: sentences that say what to set. */
export const conflicts = (settings: Settings): string[] => [
  ...(settings.profile === 'production' ? unsafeInProduction(settings) : unsafeInDevelopment(settings)),
  ...samePorts(settings),
  ...sameOperatorTokens(settings),
]

/** What is allowed and may not be meant: sentences that say so. */
export function warnings({ profile, rateLimits, databaseUrl }: Settings): string[] {
  if (profile !== 'production') return []
  const found: string[] = []
  if (rateLimits === 'off') found.push('POSTERN_RATE_LIMITS is off: there are no rate limits')
  const database = databaseUrl.startsWith('postgres') ? URL.parse(databaseUrl) : null
  if (database && !isLoopback(database.hostname) && database.hostname !== '' && !database.searchParams.has('sslmode'))
    found.push('POSTERN_DATABASE_URL has no sslmode: add ?sslmode=verify-full, unless the network to the database is private')
  return found
}
