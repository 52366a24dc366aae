import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { integer, iso, listOf, nullable, number, object, oneOf, timestamp, type WordOptions } from '../../api/declare/words.ts'
import type { FleetHour } from '../../delivery/fleet/fleet-hour.ts'
import type { Hold } from '../../delivery/hold.ts'
import type { Gauges } from '../../metrics/gauges.ts'
import { BUCKET_MS, lastMinuteOf, seriesOf, totalOf } from '../../metrics/last-hour.ts'
import { refusalReasons } from '../../metrics/metrics.ts'
import { heldSince, heldSinceOf, type ServerFacts } from './get-server.ts'

interface Services {
  fleetHour: FleetHour['read']
  queues: () => Promise<Gauges>
  server: ServerFacts
  /** How many processes share the database. */
  processCount: () => Promise<number>
  hold: Pick<Hold, 'since'>
  now: () => number
}

const count = (about: WordOptions = {}) => integer({ min: 0, ...about })
const counts = (about: WordOptions = {}) => listOf(integer({ min: 0 }), about)

const byReason = <Word>(word: Word) =>
  Object.fromEntries(refusalReasons.map((reason) => [reason, word])) as Record<(typeof refusalReasons)[number], Word>

const durations = {
  p50_ms: nullable(integer({ min: 0, description: 'Half of the attempts that delivered took no longer; null without any.' })),
  p99_ms: nullable(integer({ min: 0, description: 'Of a hundred attempts that delivered one took longer; null without any.' })),
}

export const getOverview = endpoint({
  name: 'getOverview',
  route: 'GET /operator/overview',
  section: '§6',
  summary: 'Say how the server does now, and what it did in the last hour.',
  description: [
    'What is counted is that of all processes that share the database, at most an hour back; `covers` says which. Each saves once a minute what it has counted, and when it stops; the process that answers (`worker`) asks the others for what is newer. Of one that did not answer within a second (`silent`), or is no more (`ended`), what it has saved is counted. `GET /metrics` of each process has its own counters. What waits is looked at in the database, and in the memory of the process that answers.',
    'Attempts of retries and replays are counted too. Durations are estimated from counts by ranges, which are added up over the processes: from name resolution to the last byte of the answer.',
  ].join('\n\n'),
  auth: operator,
  params: {},
  answer: object({
    data: object({
      now: timestamp(),
      worker: integer({ min: 0 }),
      processes: integer({ min: 1 }),
      covers: listOf(
        object({
          worker: integer({ min: 0 }),
          state: oneOf(['answers', 'answered', 'silent', 'ended'], { description: '`answers` is the process that answers this call.' }),
          since: nullable(timestamp({ description: 'When it began to count, or an hour ago; null where it has told nothing.' })),
        }),
        { description: 'The processes whose counts these are; at most 64 that have ended.' },
      ),
      since: timestamp({ description: 'When the first of them began to count, or an hour ago.' }),
      held_since: heldSince,
      last_minute: object({
        accepted_per_second: number({ min: 0, description: 'Events.' }),
        delivered_per_second: number({ min: 0, description: 'Attempts that delivered.' }),
        ...durations,
      }),
      last_hour: object({
        accepted: count({ description: 'Events.' }),
        delivered: count({ description: 'Attempts that delivered; `failed` did not. Deliveries that ended without one are `not_sent`.' }),
        failed: count(),
        not_sent: count(),
        ...durations,
        refused: object(byReason(count()), {
          description:
            'Calls by why they were refused: 400, 401, 403, 404, 429, 503; `other` is another status of 4xx, `failed` another of 5xx.',
        }),
      }),
      waiting: object(
        {
          oldest_ms: nullable(count({ description: 'How long the oldest delivery that is due has been waiting; 0 when none is.' })),
          retries_due: nullable(count({ description: 'Retries that are due and not acknowledged, counted up to 10,000.' })),
          retries_next_hour: nullable(count({ description: 'Retries that will be due within the next hour, counted up to 10,000.' })),
          webhooks_valid: nullable(count({ description: 'Counted at most every ten seconds.' })),
          webhooks_invalid: nullable(count()),
        },
        { description: 'Null for what the database did not answer within a second.' },
      ),
      buckets: object(
        {
          from: timestamp({ description: 'When the first bucket begins.' }),
          seconds: integer({ min: 1, description: 'How long a bucket is.' }),
          accepted: counts(),
          delivered: counts(),
          failed: counts(),
          not_sent: counts(),
          p50_ms: listOf(durations.p50_ms),
          p99_ms: listOf(durations.p99_ms),
          refused: object(byReason(counts())),
        },
        { description: 'The last hour, oldest first: each list has one value for each bucket. The last bucket has not ended.' },
      ),
    }),
  }),
  async handle(_, { fleetHour, queues, server: { worker }, processCount, hold, now }: Services) {
    const [processes, waiting, { hour, covers }] = await Promise.all([processCount(), queues(), fleetHour()])
    const { seconds, accepted, delivered, p50Ms, p99Ms } = lastMinuteOf(hour)
    const { p50Ms: hourP50Ms, p99Ms: hourP99Ms, ...total } = totalOf(hour)
    const { fromMs, counted, refused, ...series } = seriesOf(hour)
    const perSecond = (value: number) => Math.round((value / seconds) * 100) / 100
    return {
      data: {
        now: iso(now()),
        worker,
        processes,
        covers: covers.map(({ sinceMs, ...covered }) => ({ ...covered, since: sinceMs === undefined ? null : iso(sinceMs) })),
        since: iso(hour.sinceMs),
        held_since: heldSinceOf(hold),
        last_minute: {
          accepted_per_second: perSecond(accepted),
          delivered_per_second: perSecond(delivered),
          p50_ms: p50Ms,
          p99_ms: p99Ms,
        },
        last_hour: { ...total, p50_ms: hourP50Ms, p99_ms: hourP99Ms },
        waiting: {
          oldest_ms: waiting.queueAgeMs === undefined ? null : Math.round(waiting.queueAgeMs),
          retries_due: waiting.retriesDue ?? null,
          retries_next_hour: waiting.retriesPlanned ?? null,
          webhooks_valid: waiting.webhooks?.valid ?? null,
          webhooks_invalid: waiting.webhooks?.invalid ?? null,
        },
        buckets: { from: iso(fromMs), seconds: BUCKET_MS / 1000, ...counted, p50_ms: series.p50Ms, p99_ms: series.p99Ms, refused },
      },
    }
  },
})
