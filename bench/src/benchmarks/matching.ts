import type { Benchmark, Row, Run } from '../benchmark.ts'
import { type Database, type Engine, engineName, engines } from '../databases.ts'
import { formatCpu, interleave } from '../interleave.ts'
import { EVENT_TYPES, fillSubscriptions, type Kind, USERS } from '../matching/fixtures.ts'
import { formatNumber } from '../statistics.ts'
import { type Sampler, startWorker } from '../worker.ts'
import type { MatcherArgument } from '../workers/matcher.ts'

const FEW = 1000

type Filled = Omit<MatcherArgument, 'kind'>
const MAX_RATIO = 1.5

/** Matches events of one kind among many subscriptions, and among few. */
async function rowOf(engine: Engine, kind: Kind, filled: Record<'many' | 'few', Filled>, { config }: Run): Promise<Row> {
  await using many: Sampler = await startWorker('matcher.ts', { ...filled.many, kind })
  await using few: Sampler = await startWorker('matcher.ts', { ...filled.few, kind })
  const rates = await interleave({ many, few }, config)
  const ratio = rates.many.cpuMicrosPerOperation / rates.few.cpuMicrosPerOperation
  return {
    what: `Matches/s of a ${kind} event (\`${EVENT_TYPES[kind]}\`), ${formatNumber(config.rows)} subscriptions, 1 match each, ${engineName[engine]}`,
    measured: rates.many.text,
    baseline: `${rates.few.text} with ${formatNumber(FEW)} subscriptions`,
    ratio,
    cpu: formatCpu(rates.many, rates.few),
    target: `CPU ratio < ${MAX_RATIO}`,
    isMet: ratio < MAX_RATIO,
  }
}

async function measureEngine(engine: Engine, run: Run): Promise<Row[]> {
  await using manyDatabase = await run.databases.open(engine)
  await using fewDatabase = await run.databases.open(engine)
  const fill = async ({ url, databasePid }: Database, subscriptions: number): Promise<Filled> => {
    await fillSubscriptions(url, subscriptions)
    return { url, databasePid, subscriptions }
  }
  const filled = { many: await fill(manyDatabase, run.config.rows), few: await fill(fewDatabase, FEW) }
  const rows: Row[] = []
  for (const kind of Object.keys(EVENT_TYPES) as Kind[]) rows.push(await rowOf(engine, kind, filled, run))
  return rows
}

export const matching: Benchmark = {
  name: 'matching',
  method: `Postern's own modules find the subscriptions of events in batches of 100, as publishing does before it appends, one batch at a time. The events are about ${USERS} users, spread over those with subscriptions, so each has one match however many subscriptions there are. A private event also needs the consent of its user, which is read with its subscriptions. The baseline is the same with ${formatNumber(FEW)} subscriptions; the ratio is that of the CPU time per event, which includes PostgreSQL.`,
  async measure(run) {
    const rows: Row[] = []
    for (const engine of engines) rows.push(...(await measureEngine(engine, run)))
    return rows
  },
}
