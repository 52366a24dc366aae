import { barrage } from '../../../server/test/stage/hostile/barrage.ts'
import { credentialsAt } from '../../../server/test/stage/hostile/credentials.ts'
import { type MalformedRequest, malformedRequests } from '../../../server/test/stage/hostile/malformed-requests.ts'
import type { Benchmark, Row } from '../benchmark.ts'
import { OPERATOR_TOKEN, startPostern } from '../postern-process.ts'
import { residentMb } from '../process-status.ts'
import { formatNumber } from '../statistics.ts'

const SEED = 1
const IN_FLIGHT = 16
const MAX_LATENCY_MS = 1000
const TIMEOUT_MS = 300_000

/** The app of the demo seed. */
const APP = { consumer_key: 'demo-consumer-key', consumer_secret: 'demo-consumer-secret-for-development-only' }

/** Ends a sequence of requests at the timeout. */
function* within(ms: number, requests: Iterable<MalformedRequest>): Generator<MalformedRequest> {
  const endsAtMs = performance.now() + ms
  for (const request of requests) {
    if (performance.now() > endsAtMs) return
    yield request
  }
}

const classOf = (status: number) => `${Math.floor(status / 100)}xx`

async function send(url: string, count: number) {
  const answers: Record<string, number> = {}
  let slowestMs = 0
  const requests = within(TIMEOUT_MS, malformedRequests(SEED, count, await credentialsAt(url, APP, OPERATOR_TOKEN)))
  const startedMs = performance.now()
  await barrage({
    origin: url,
    requests,
    inFlight: IN_FLIGHT,
    longestMs: 10 * MAX_LATENCY_MS,
    answered({ status }, _isHead, tookMs) {
      answers[classOf(status)] = (answers[classOf(status)] ?? 0) + 1
      slowestMs = Math.max(slowestMs, tookMs)
    },
  })
  return { answers, slowestMs, tookS: (performance.now() - startedMs) / 1000 }
}

export const malformed: Benchmark = {
  name: 'malformed',
  method: `Fuzzing: requests to every endpoint of the general host in development, over raw sockets. Each is valid except for one to three mutations of its method, path, query, headers, credentials, body or framing; the sequence is that of the seed ${SEED}. Responses are counted by class of status. VmRSS of the process before and after.`,
  async measure({ config }): Promise<Row[]> {
    await using postern = await startPostern()
    const beforeMb = await residentMb(postern.pid)
    const { answers, slowestMs, tookS } = await send(postern.baseUrl, config.malformed)
    const afterMb = await residentMb(postern.pid)
    const classes = Object.entries(answers).sort(([one], [other]) => (one < other ? -1 : 1))
    const total = classes.reduce((sum, [, count]) => sum + count, 0)
    const counts = classes.map(([name, count]) => `${formatNumber(count)} ${name}`).join(', ')
    const memory = `${formatNumber(beforeMb)} → ${formatNumber(afterMb)} MB`
    return [
      {
        what: `Malformed requests, ${IN_FLIGHT} in flight`,
        measured: `${formatNumber(total)} in ${formatNumber(tookS)} s: ${counts}; slowest ${formatNumber(slowestMs)} ms; ${memory}`,
        baseline: '–',
        target: 'no 5xx, none over 1 s',
        isMet: !answers['5xx'] && slowestMs < MAX_LATENCY_MS,
      },
    ]
  },
}
