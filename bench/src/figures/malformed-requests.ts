import { barrage } from '../../../server/test/stage/hostile/barrage.ts'
import { credentialsAt } from '../../../server/test/stage/hostile/credentials.ts'
import { type MalformedRequest, malformedRequests } from '../../../server/test/stage/hostile/malformed-requests.ts'
import type { Figure, Line } from '../figure.ts'
import { inWords } from '../numbers.ts'
import { OPERATOR_TOKEN, startPostern } from '../postern-process.ts'
import { residentMb } from '../process-status.ts'

const SEED = 1
const IN_FLIGHT = 16
const LONGEST_MS = 1000
const MOST_MS = 300_000

/** The app of the demo seed. */
const APP = { consumer_key: 'demo-consumer-key', consumer_secret: 'demo-consumer-secret-for-development-only' }

/** Ends a sequence of requests when it takes too long. */
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
  const requests = within(MOST_MS, malformedRequests(SEED, count, await credentialsAt(url, APP, OPERATOR_TOKEN)))
  const startedMs = performance.now()
  await barrage({
    origin: url,
    requests,
    inFlight: IN_FLIGHT,
    longestMs: 10 * LONGEST_MS,
    answered({ status }, _isHead, tookMs) {
      answers[classOf(status)] = (answers[classOf(status)] ?? 0) + 1
      slowestMs = Math.max(slowestMs, tookMs)
    },
  })
  return { answers, slowestMs, tookS: (performance.now() - startedMs) / 1000 }
}

export const malformed: Figure = {
  name: 'malformed',
  limit: `Requests over the whole map of the general host in development, each valid but for one to three mutations of its verb, path, query, headers, credentials, body or framing, always the same for the seed ${SEED}, over raw sockets; answers by class of status. VmRSS of the process before and after.`,
  async measure({ pace }): Promise<Line[]> {
    await using postern = await startPostern()
    const beforeMb = await residentMb(postern.pid)
    const { answers, slowestMs, tookS } = await send(postern.baseUrl, pace.malformed)
    const afterMb = await residentMb(postern.pid)
    const classes = Object.entries(answers).sort(([one], [other]) => (one < other ? -1 : 1))
    const total = classes.reduce((sum, [, count]) => sum + count, 0)
    const shown = classes.map(([name, count]) => `${inWords(count)} ${name}`).join(', ')
    const memory = `${inWords(beforeMb)} → ${inWords(afterMb)} MB`
    return [
      {
        what: `Malformed requests, ${IN_FLIGHT} in flight`,
        measured: `${inWords(total)} in ${inWords(tookS)} s: ${shown}; slowest ${inWords(slowestMs)} ms; ${memory}`,
        limit: '–',
        aim: 'no 5xx, none over 1 s',
        isMet: !answers['5xx'] && slowestMs < LONGEST_MS,
      },
    ]
  },
}
