import { createDurations } from './durations.ts'
import type { Family, Labels } from './family.ts'

/** Up to the timeout of an attempt. */
const ATTEMPT_BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000]
const COMMIT_BOUNDS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000]

const kinds = ['live', 'retry', 'replay'] as const
const outcomes = ['delivered', 'failed', 'not_sent'] as const

type Kind = (typeof kinds)[number]
type Outcome = (typeof outcomes)[number]

const zeros = <Name extends string>(names: readonly Name[]) => Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>

const samplesOf = (label: string, counts: Readonly<Record<string, number>>, more: Labels = {}) =>
  Object.entries(counts).map(([name, value]) => ({ labels: { ...more, [label]: name }, value }))

/** Counts events, attempts, deliveries that ended, challenges and commits of the event log. */
export function createDeliveryCounts() {
  let events = 0
  const attempts = { live: zeros(outcomes), retry: zeros(outcomes), replay: zeros(outcomes) }
  const ended = { delivered: 0, given_up: 0, not_sent: 0 }
  const durations = { delivered: createDurations(ATTEMPT_BOUNDS_MS), failed: createDurations(ATTEMPT_BOUNDS_MS) }
  const challenges = { passed: 0, failed: 0 }
  const commits = { committed: 0, failed: 0 }
  const commitDurations = createDurations(COMMIT_BOUNDS_MS)

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
    },
    families: () => [...counters(), ...histograms()],
  }
}
