import { createEventLoopDelay } from './event-loop.ts'
import { createDurations, type Durations, type Family, gauge, type Labels } from './family.ts'
import { createStreamCounts } from './stream-counts.ts'
import { createTakeoverCounts } from './takeover-counts.ts'

/** Up to the timeout of an attempt. */
export const ATTEMPT_BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]
const COMMIT_BOUNDS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000]

const kinds = ['live', 'retry', 'replay'] as const
const outcomes = ['delivered', 'failed', 'not_sent'] as const

type Kind = (typeof kinds)[number]
type Outcome = (typeof outcomes)[number]

const zeros = <Name extends string>(names: readonly Name[]) => Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>

const samplesOf = (label: string, counts: Readonly<Record<string, number>>, more: Labels = {}) =>
  Object.entries(counts).map(([name, value]) => ({ labels: { ...more, [label]: name }, value }))

/** Counts events, attempts, deliveries that ended, challenges and commits of the event log. */
function createDeliveryCounts() {
  let events = 0
  const attempts = { live: zeros(outcomes), retry: zeros(outcomes), replay: zeros(outcomes) }
  const ended = { delivered: 0, given_up: 0, not_sent: 0 }
  const durations = { delivered: createDurations(ATTEMPT_BOUNDS_MS), failed: createDurations(ATTEMPT_BOUNDS_MS) }
  const challenges = { passed: 0, failed: 0 }
  const commits = { committed: 0, failed: 0 }
  const commitDurations = createDurations(COMMIT_BOUNDS_MS)
  /** Since the last reading. */
  let slowestCommitMs = 0

  const counters = (): Family[] => [
    { type: 'counter', name: 'postern_events_accepted_total', help: 'Events accepted.', samples: [{ labels: {}, value: events }] },
    {
      type: 'counter',
      name: 'postern_attempts_total',
      help: 'Attempts to deliver an event, by kind and outcome.',
      samples: kinds.flatMap((kind) => samplesOf('outcome', attempts[kind], { kind })),
    },
    {
      type: 'counter',
      name: 'postern_deliveries_total',
      help: 'Deliveries that ended, by outcome. Replays end none.',
      samples: samplesOf('outcome', ended),
    },
    { type: 'counter', name: 'postern_challenges_total', help: 'Challenges (CRC), by result.', samples: samplesOf('result', challenges) },
    {
      type: 'counter',
      name: 'postern_log_commits_total',
      help: 'Commits of the event log, by result.',
      samples: samplesOf('result', commits),
    },
  ]

  const histograms = (): Family[] => [
    {
      type: 'histogram',
      name: 'postern_attempt_duration_seconds',
      help: 'Time from name resolution to the last byte of the response, by outcome. Replays are included.',
      samples: Object.entries(durations).map(([outcome, value]) => ({ labels: { outcome }, value })),
    },
    {
      type: 'histogram',
      name: 'postern_log_commit_duration_seconds',
      help: 'Time that a commit of the event log took.',
      samples: [{ labels: {}, value: commitDurations }],
    },
  ]

  return {
    accepted(count: number, keptBack: number) {
      events += count
      ended.not_sent += keptBack
    },
    attempted({ outcome, latencyMs }: { outcome: Outcome; latencyMs: number }, kind: Kind, isLast: boolean) {
      attempts[kind][outcome] += 1
      if (outcome !== 'not_sent') durations[outcome].observe(latencyMs)
      if (isLast) ended[outcome === 'failed' ? 'given_up' : outcome] += 1
    },
    challenged(passed: boolean) {
      challenges[passed ? 'passed' : 'failed'] += 1
    },
    committed(ms: number, succeeded: boolean) {
      commits[succeeded ? 'committed' : 'failed'] += 1
      commitDurations.observe(ms)
      slowestCommitMs = Math.max(slowestCommitMs, ms)
    },
    families(): Family[] {
      const help = 'The slowest commit of the event log since the last reading; 0 without any.'
      const slowest = gauge('postern_log_commit_slowest_seconds', help, slowestCommitMs / 1000)
      slowestCommitMs = 0
      return [...counters(), ...histograms(), slowest]
    },
    /** What the last hour keeps of these counts. The attempts of all kinds are in each outcome; what was kept back had none. */
    read: () => ({ events, attempts: Object.values(attempts), notSent: ended.not_sent, delivered: durations.delivered.read() }),
  }
}

const BOUNDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]

const credentialKinds = ['password', 'app_secret', 'client_secret', 'signature', 'operator_token'] as const
type CredentialKind = (typeof credentialKinds)[number]

/** The status of a bug. */
const INTERNAL_ERROR = 500

/** Why a call is refused, by the status of its answer. */
export const refusalReasons = [
  'invalid',
  'unauthorized',
  'forbidden',
  'not_found',
  'rate_limited',
  'other',
  'failed',
  'unavailable',
] as const
export type RefusalReason = (typeof refusalReasons)[number]

const FIRST_REFUSAL = 400
const REASONS: Record<number, RefusalReason> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
  503: 'unavailable',
}

/** The place of its reason in `refusalReasons`. */
const reasonPlace = (status: number) => refusalReasons.indexOf(REASONS[status] ?? (status < INTERNAL_ERROR ? 'other' : 'failed'))

const add = <Key>(counts: Map<Key, number>, key: Key, more: number) => void counts.set(key, (counts.get(key) ?? 0) + more)
const count = <Key>(counts: Map<Key, number>, key: Key) => add(counts, key, 1)

/** Counts answers by endpoint and status, calls beyond a rate limit, and wrong credentials. */
function createRequestCounts() {
  const answers = new Map<string, Map<number, number>>()
  const durations = new Map<string, Durations>()
  const limited = new Map<string, number>()
  const answersOf = (name: string): Map<number, number> => {
    const byStatus = answers.get(name) ?? new Map<number, number>()
    answers.set(name, byStatus)
    return byStatus
  }
  let reused = 0
  const wrong = new Map<CredentialKind, number>(credentialKinds.map((kind) => [kind, 0]))

  return {
    /** Begins counters at zero, so that `increase` sees the first bug of each endpoint and the first request beyond each limit. */
    begin({ endpoints, limits }: { endpoints: readonly string[]; limits: readonly string[] }) {
      for (const name of endpoints) add(answersOf(name), INTERNAL_ERROR, 0)
      for (const name of limits) add(limited, name, 0)
    },
    answered(name: string, status: number, ms: number) {
      count(answersOf(name), status)
      const taken = durations.get(name) ?? createDurations(BOUNDS_MS)
      durations.set(name, taken)
      taken.observe(ms)
    },
    limited: (name: string) => count(limited, name),
    wrongCredentials: (kind: CredentialKind) => count(wrong, kind),
    grantEndedByReuse() {
      reused += 1
    },
    /** Adds the refusals so far to `sums`, which has a place for each of `refusalReasons`. */
    addRefusals(sums: Float64Array) {
      for (const byStatus of answers.values())
        for (const [status, value] of byStatus) if (status >= FIRST_REFUSAL) sums[reasonPlace(status)]! += value
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

/**
 * Everything that is counted while Postern runs. The hot path only adds to numbers in memory. The delay of the event loop is measured from
 * `eventLoop.begin` to `eventLoop.stop`.
 */
export const createMetrics = () => ({
  requests: createRequestCounts(),
  deliveries: createDeliveryCounts(),
  streams: createStreamCounts(),
  takeovers: createTakeoverCounts(),
  eventLoop: createEventLoopDelay(),
})

export type Metrics = ReturnType<typeof createMetrics>
