import { hostname } from 'node:os'
import { createHostCheck } from '../access/host-names.ts'
import { createHttpsCheck } from '../access/require-https.ts'
import type { RawRequest } from '../api/declare/raw-request.ts'
import type { PublicHost } from './listening.ts'
import type { Base } from './parts.ts'

export interface HostChecks {
  /** Says why a host refuses a request by its Host header: in development alone, where a server has few names. */
  foreignName(host: PublicHost): ((request: RawRequest) => string | undefined) | undefined
  /** Refuses what clients send unencrypted to the public hosts: in production alone. */
  admit: ((request: RawRequest) => void) | undefined
}

/** What the hosts ask of each request before anything else. */
export function createHostChecks({ development, settings, listening }: Base): HostChecks {
  if (!development) return { foreignName: () => undefined, admit: createHttpsCheck(settings.trustProxy) }
  const media = settings.mediaBaseUrl === undefined ? [] : [settings.mediaBaseUrl]
  const machineName = settings.exposeDevelopment ? hostname() : undefined
  return {
    foreignName: (host) =>
      createHostCheck({ origins: () => [...listening.clientOrigins(host), ...media], setting: listening.originSetting(host), machineName }),
    admit: undefined,
  }
}
