import type { Benchmark, Row, Run } from '../benchmark.ts'
import { besideBaseline } from '../beside-baseline.ts'
import { type Engine, engineName, engines } from '../databases.ts'
import type { Rate } from '../interleave.ts'
import { LOGINS_IN_FLIGHT, type Measurement, measureLogins } from '../sign-in/measure-logins.ts'
import { BEARER_PATH, IN_FLIGHT, measureSigned, SIGNED_PATH } from '../sign-in/measure-signed.ts'
import { formatSpread, median } from '../statistics.ts'

const MIN_RATIO: Record<Engine, number> = { sqlite: 0.38, postgres: 0.3 }
const MIN_RATIO_OF_BARE = 0.3

async function signedRows(engine: Engine, run: Run): Promise<Row[]> {
  const { signed, bearer, bare } = await measureSigned(engine, run)
  const row = (baseline: Rate, named: string, minRatio: number): Row => ({
    what: `Signed \`GET ${SIGNED_PATH}\`/s, ${IN_FLIGHT} in flight, rate limits off, ${engineName[engine]}`,
    ...besideBaseline(signed, baseline, named, minRatio),
  })
  return [row(bearer, `\`GET ${BEARER_PATH}\` with a bearer token`, MIN_RATIO[engine]), row(bare, 'bare Fastify', MIN_RATIO_OF_BARE)]
}

const format = (values: readonly number[]) => formatSpread(median(values), values)
const p99Of = (measurements: readonly Measurement[]) => measurements.map(({ p99Ms }) => p99Ms)

async function loginRow(engine: Engine, run: Run): Promise<Row> {
  const { alone, beside } = await measureLogins(engine, run)
  const perSecond = format(beside.map(({ loginsPerSecond }) => loginsPerSecond))
  return {
    what: `p99 of \`GET ${BEARER_PATH}\`, one client, beside ${perSecond} logins/s of ${LOGINS_IN_FLIGHT} clients, ${engineName[engine]}`,
    measured: `${format(p99Of(beside))} ms`,
    baseline: `${format(p99Of(alone))} ms without logins`,
    target: '–',
  }
}

export const signIn: Benchmark = {
  name: 'sign-in',
  method: `A request signed for a user, each with a fresh nonce and signed before the sample, against a request with a bearer token on the same Postern, and against Fastify that sends the same bytes with the same headers and checks nothing; the app has no webhooks. Logins submit approval forms that were opened before the sample, with a password of the usual hash cost; verifying them takes all cores but one. The clients share the cores with the server.`,
  async measure(run) {
    const rows: Row[] = []
    for (const engine of engines) rows.push(...(await signedRows(engine, run)))
    for (const engine of engines) rows.push(await loginRow(engine, run))
    return rows
  },
}
