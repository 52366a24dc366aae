import type { Endpoint } from './endpoint.ts'

/** The rate limit that a call is counted by: its name in the table of limits. */
export type LimitNameOf = (endpoint: Endpoint, query: string) => string

/** Each endpoint has a limit of its own name. */
export const limitOfItsOwn: LimitNameOf = ({ limitName }) => limitName

const asksForTotal = (query: string) =>
  new URLSearchParams(query).getAll('with_total_count').some((value) => value.toLowerCase() === 'true')

/**
 * The advertising hosts count all writes together, and reads by what they read; a list that also counts its records has a limit of its own. An
 * endpoint that declares a number is counted by itself.
 */
export const adsLimit: LimitNameOf = ({ method, params, rateLimit, limitName }, query) => {
  if (typeof rateLimit === 'number') return limitName
  if (method !== 'GET') return 'adsWrites'
  if ('with_total_count' in params && asksForTotal(query)) return 'adsTotals'
  return rateLimit === 'core' ? 'adsCoreReads' : 'adsReads'
}
