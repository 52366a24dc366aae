import { createDurations, type Durations } from './durations.ts'
import type { Family } from './family.ts'

const BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]

const credentialKinds = ['password', 'app_secret', 'signature', 'operator_token'] as const
type CredentialKind = (typeof credentialKinds)[number]

interface Endpoint {
  byStatus: Map<number, number>
  durations: Durations
}

const count = <Key>(counts: Map<Key, number>, key: Key) => void counts.set(key, (counts.get(key) ?? 0) + 1)

/** Counts answers by endpoint and status, calls beyond a rate limit, and wrong credentials. */
export function createRequestCounts() {
  const endpoints = new Map<string, Endpoint>()
  const limited = new Map<string, number>()
  /** Starts at zero, so that an alert sees the first one. */
  const wrong = new Map<CredentialKind, number>(credentialKinds.map((kind) => [kind, 0]))

  const create = (name: string): Endpoint => {
    const endpoint = { byStatus: new Map(), durations: createDurations(BOUNDS_MS) }
    endpoints.set(name, endpoint)
    return endpoint
  }

  return {
    answered(name: string, status: number, ms: number) {
      const { byStatus, durations } = endpoints.get(name) ?? create(name)
      count(byStatus, status)
      durations.observe(ms)
    },
    limited: (name: string) => count(limited, name),
    wrongCredentials: (kind: CredentialKind) => count(wrong, kind),
    families: (): Family[] => [
      {
        type: 'counter',
        name: 'postern_requests_total',
        help: 'Requests that were answered, by endpoint (its operationId, a page, or none) and status.',
        samples: [...endpoints].flatMap(([endpoint, { byStatus }]) =>
          [...byStatus].map(([status, value]) => ({ labels: { endpoint, status: String(status) }, value })),
        ),
      },
      {
        type: 'histogram',
        name: 'postern_request_duration_seconds',
        help: 'Time from the headers of a request to its answer, by endpoint.',
        samples: [...endpoints].map(([endpoint, { durations }]) => ({ labels: { endpoint }, value: durations })),
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
    ],
  }
}
