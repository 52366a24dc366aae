import { type Engine, engineName, engines } from '../databases.ts'
import { formatCpu, formatNumber, interleave } from '../measure.ts'
import type { Benchmark, Row, Run } from '../report.ts'
import { type Sample, type Sampler, startWorker, type Worker } from '../worker.ts'
import type { MatcherArgument } from '../workers/matcher.ts'

const FEW = 1000
const MAX_RATIO = 1.5
/** A public type, and one that needs consent. */
const EVENT_TYPES = { public: 'post.create', private: 'dm.received' } as const

type Matcher = Worker<{ ms: number; eventType: string }, Sample>

const of = (matcher: Matcher, eventType: string): Sampler => ({ ...matcher, call: ({ ms }) => matcher.call({ ms, eventType }) })

/** Matches events of each kind among many subscriptions, and among few. */
async function measure(engine: Engine, { config, databases }: Run): Promise<Row[]> {
  await using manyDatabase = await databases.open(engine)
  await using fewDatabase = await databases.open(engine)
  const start = ({ url, databasePid }: typeof manyDatabase, subscriptions: number): Promise<Matcher> => {
    const argument: MatcherArgument = { url, databasePid, subscriptions, eventTypes: Object.values(EVENT_TYPES) }
    return startWorker('workers/matcher.ts', argument)
  }
  await using many = await start(manyDatabase, config.rows)
  await using few = await start(fewDatabase, FEW)
  const rows: Row[] = []
  for (const [kind, eventType] of Object.entries(EVENT_TYPES)) {
    const rates = await interleave({ many: of(many, eventType), few: of(few, eventType) }, config)
    const ratio = rates.many.cpuMicrosPerOperation / rates.few.cpuMicrosPerOperation
    rows.push({
      what: `Matches/s of a ${kind} event (\`${eventType}\`), ${formatNumber(config.rows)} subscriptions, 1 match each, ${engineName[engine]}`,
      measured: rates.many.text,
      baseline: `${rates.few.text} with ${formatNumber(FEW)} subscriptions`,
      ratio,
      cpu: formatCpu(rates.many, rates.few),
      target: `CPU ratio < ${MAX_RATIO}`,
      isMet: ratio < MAX_RATIO,
    })
  }
  return rows
}

export const matching: Benchmark = {
  name: 'matching',
  method: `Postern's own modules find the subscriptions of events in batches of 100, as publishing does before it appends, one batch at a time. The events are about 500 users, spread over those with subscriptions, so each has one match however many subscriptions there are. A private event also needs the consent of its user, which is read with its subscriptions. The baseline is the same with ${formatNumber(FEW)} subscriptions; the ratio is that of the CPU time per event, which includes PostgreSQL.`,
  async measure(run) {
    const rows: Row[] = []
    for (const engine of engines) rows.push(...(await measure(engine, run)))
    return rows
  },
}
