import { namesOf } from '../access/client-origin.ts'
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

/** The hosts whose clients sign for their origins. */
export type PublicHost = 'general' | 'advertising' | 'sandbox'

/** Where the hosts listen, and by which origins clients name them. */
export interface Listening {
  origins: Origins
  /** Every address and port that a host listens on. */
  listeners: readonly Listener[]
  /** All origins of a host that a client may have signed for. */
  clientOrigins(host: PublicHost): readonly string[]
  /** The setting that configures them. */
  originSetting(host: PublicHost): string
  listen(host: PublicHost, listener: Host): Promise<void>
  /** Without a listener of its own the operator has the origin of the general host, which listens already. */
  listenOperator(listener: Host | undefined): Promise<void>
}

const originOf = (address: string, port: number) => `http://${address.includes(':') ? `[${address}]` : address}:${port}`

export function createListening(settings: Settings): Listening {
  const origins: Origins = { base_url: '', ads_base_url: '', ads_sandbox_base_url: '', operator_url: '' }
  const listeners: Listener[] = []
  const hosts = {
    general: { member: 'base_url', setting: 'POSTERN_BASE_URL', port: settings.port, configured: settings.baseUrls },
    advertising: { member: 'ads_base_url', setting: 'POSTERN_ADS_BASE_URL', port: settings.adsPort, configured: settings.adsBaseUrls },
    sandbox: {
      member: 'ads_sandbox_base_url',
      setting: 'POSTERN_ADS_SANDBOX_BASE_URL',
      port: settings.adsSandboxPort,
      configured: settings.adsSandboxBaseUrls,
    },
  } as const
  const named: Record<PublicHost, readonly string[]> = { general: [], advertising: [], sandbox: [] }

  const bind = async (listener: Host, wanted: number, address: string) => {
    const port = await listener.listen(wanted, address)
    listeners.push({ address, port })
    return originOf(address, port)
  }

  return {
    origins,
    listeners,
    clientOrigins: (host) => hosts[host].configured ?? named[host],
    originSetting: (host) => hosts[host].setting,
    async listen(host, listener) {
      const { member, port, configured } = hosts[host]
      const bound = await bind(listener, port, settings.host)
      origins[member] = configured?.[0] ?? bound
      named[host] = namesOf(origins[member])
    },
    async listenOperator(listener) {
      origins.operator_url = listener ? await bind(listener, settings.operatorPort!, settings.operatorHost) : origins.base_url
    },
  }
}
