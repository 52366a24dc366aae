import { namesOf, type PublicHost } from '../access/client-origin.ts'
import type { Host } from '../api/http/http.ts'
import type { Listener } from '../delivery/send/address-guard.ts'
import type { Settings } from '../settings/settings.ts'

/** The public origin of each host; the operator's is the general one unless it has a port of its own. Empty until the host listens. */
export interface Origins {
  base_url: string
  ads_base_url: string
  ads_sandbox_base_url: string
  operator_url: string
}

/** Where the hosts listen, and by which origins clients name them. */
export interface Listening {
  origins: Origins
  /** Every address and port that a host listens on. */
  listeners: readonly Listener[]
  /** All origins of a host that a client may have signed for. */
  clientOrigins(host: PublicHost): readonly string[]
  /** Where a host listens: `http://127.0.0.1:4000`. Empty until it does. */
  boundOrigin(host: PublicHost): string
  /** Where this machine reaches the general host and the operator endpoints, whatever their public origins. */
  boundAddresses(): { url: string; operator_url: string }
  /** The setting that configures the origins. */
  originSetting(host: PublicHost): string
  listen(host: PublicHost, listener: Host): Promise<void>
  /** Another process serves the host: it is named by its setting alone. */
  passOver(host: PublicHost): void
  /** Without a listener of its own the operator has the origin of the general host, which listens already. */
  listenOperator(listener: Host | undefined): Promise<void>
}

/** Why a host cannot listen, as the settings say it. */
function explainListening({ code, message }: NodeJS.ErrnoException, { portSetting, port, hostSetting, address }: Wanted): string {
  if (code === 'EADDRINUSE') return `${portSetting} is ${port}, which is in use on ${address}: stop what listens there, or set another port`
  if (code === 'EACCES') return `${portSetting} is ${port}, which only a privileged process may listen on: set a port above 1023`
  return `${hostSetting} is ${address}, where it cannot listen: ${message}`
}

const originOf = (address: string, port: number) => `http://${address.includes(':') ? `[${address}]` : address}:${port}`

/** An origin that listens on all addresses, by that of loopback. */
const onThisMachine = (origin: string) => origin.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')

/** Where a host is to listen, and the settings that say so. */
interface Wanted {
  portSetting: string
  port: number
  hostSetting: string
  address: string
}

/** With `unheld` the process may end although the hosts listen. */
export function createListening(settings: Settings, unheld = false): Listening {
  const origins: Origins = { base_url: '', ads_base_url: '', ads_sandbox_base_url: '', operator_url: '' }
  const listeners: Listener[] = []
  const hosts = {
    general: {
      member: 'base_url',
      setting: 'POSTERN_BASE_URL',
      portSetting: 'POSTERN_PORT',
      port: settings.port,
      configured: settings.baseUrls,
    },
    advertising: {
      member: 'ads_base_url',
      setting: 'POSTERN_ADS_BASE_URL',
      portSetting: 'POSTERN_ADS_PORT',
      port: settings.adsPort,
      configured: settings.adsBaseUrls,
    },
    sandbox: {
      member: 'ads_sandbox_base_url',
      setting: 'POSTERN_ADS_SANDBOX_BASE_URL',
      portSetting: 'POSTERN_ADS_SANDBOX_PORT',
      port: settings.adsSandboxPort,
      configured: settings.adsSandboxBaseUrls,
    },
  } as const
  const named: Record<PublicHost, readonly string[]> = { general: [], advertising: [], sandbox: [] }

  const bound: Record<PublicHost, string> = { general: '', advertising: '', sandbox: '' }
  let operatorBound: string | undefined

  const bind = async (listener: Host, wanted: Wanted) => {
    const { address } = wanted
    const port = await listener.listen(wanted.port, address).catch((error) => {
      throw new Error(explainListening(error, wanted))
    })
    if (unheld) listener.unref()
    listeners.push({ address, port })
    return originOf(address, port)
  }

  return {
    origins,
    listeners,
    clientOrigins: (host) => hosts[host].configured ?? named[host],
    boundOrigin: (host) => bound[host],
    boundAddresses: () => ({ url: onThisMachine(bound.general), operator_url: onThisMachine(operatorBound ?? bound.general) }),
    originSetting: (host) => hosts[host].setting,
    async listen(host, listener) {
      const { member, portSetting, port, configured } = hosts[host]
      bound[host] = await bind(listener, { portSetting, port, hostSetting: 'POSTERN_HOST', address: settings.host })
      origins[member] = configured?.[0] ?? bound[host]
      named[host] = namesOf(origins[member])
    },
    passOver(host) {
      const { member, configured } = hosts[host]
      origins[member] = configured?.[0] ?? ''
    },
    async listenOperator(listener) {
      const wanted = { portSetting: 'POSTERN_OPERATOR_PORT', port: settings.operatorPort!, hostSetting: 'POSTERN_OPERATOR_HOST' }
      operatorBound = listener && (await bind(listener, { ...wanted, address: settings.operatorHost }))
      origins.operator_url = operatorBound ?? origins.base_url
    },
  }
}
