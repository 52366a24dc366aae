import { coded } from '../api/declare/problem.ts'
import type { RawRequest } from '../api/declare/raw-request.ts'
import { createIsHttps } from './client-origin.ts'

/** Refuses what a client sent unencrypted, whatever its credentials (§4.3): 403 code 92. `trusted`: networks of proxies, as CIDRs. */
export function createHttpsCheck(trusted: readonly string[]): (request: RawRequest) => void {
  const isHttps = createIsHttps(trusted)
  return (request) => {
    if (!isHttps(request)) throw coded(92)
  }
}
