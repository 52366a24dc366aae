import { createDurations, type Durations } from './durations.ts'
import type { Family } from './family.ts'

const BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]

const credentialKinds = ['password', 'app_secret', 'client_secret', 'signature', 'operator_token'] as const
type CredentialKind = (typeof credentialKinds)[number]

/** The status of a bug. */
const INTERNAL_ERROR = 500

const count = <Key>(counts: Map<Key, number>, key: Key) => void counts.set(key, (counts.get(key) ?? 0) + 1)

/** Counts answers by endpoint and status, calls beyond a rate limit, and wrong credentials. */
export function createRequestCounts() {
  const answers = new Map<string, Map<number, number>>()
  const durations = new Map<string, Durations>()
  const limited = new Map<string, number>()
  let reused = 0
  const wrong = new Map<CredentialKind, number>(credentialKinds.map((kind) => [kind, 0]))

  return {
    /** Begins counters at zero, so that `increase` sees the first bug of each endpoint and the first request beyond each limit. */
    begin({ endpoints, limits }: { endpoints: readonly string[]; limits: readonly string[] }) {
      for (const name of endpoints) answers.set(name, new Map([[INTERNAL_ERROR, 0]]))
      for (const name of limits) limited.set(name, 0)
    },
    answered(name: string, status: number, ms: number) {
      const byStatus = answers.get(name) ?? new Map<number, number>()
      answers.set(name, byStatus)
      count(byStatus, status)
      const taken = durations.get(name) ?? createDurations(BOUNDS_MS)
      durations.set(name, taken)
      taken.observe(ms)
    },
    limited: (name: string) => count(limited, name),
    wrongCredentials: (kind: CredentialKind) => count(wrong, kind),
    grantEndedByReuse() {
      reused += 1
    },
    families: (): Family[] => [
      {
        type: 'counter',
        name: 'postern_requests_total',
        help: 'Requests that were answered, by endpoint (its operationId, a page, or none) and status.',
        samples: [...answers].flatMap(([endpoint, byStatus]) =>
          [...byStatus].map(([status, value]) => ({ labels: { endpoint, status: String(status) }, value })),
        ),
      },
      {
        type: 'histogram',
        name: 'postern_request_duration_seconds',
        help: 'Time from the headers of a request to its answer, by endpoint.',
        samples: [...durations].map(([endpoint, value]) => ({ labels: { endpoint }, value })),
      },
      {
        type: 'counter',
        name: 'postern_rate_limited_total',
        help: 'Requests that were refused by the rate limit of an endpoint.',
        samples: [...limited].map(([endpoint, value]) => ({ labels: { endpoint }, value })),
      },
      {
        type: 'counter',
        name: 'postern_wrong_credentials_total',
        help: 'Requests with wrong credentials, and those refused because there were too many, by kind.',
        samples: [...wrong].map(([kind, value]) => ({ labels: { kind }, value })),
      },
      {
        type: 'counter',
        name: 'postern_oauth2_grants_ended_by_reuse_total',
        help: 'OAuth 2.0 grants that ended because an authorization code or a refresh token was used a second time.',
        samples: [{ labels: {}, value: reused }],
      },
    ],
  }
}
