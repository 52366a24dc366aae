import { FULL_USERS, LIMIT_PER_SECOND, OPERATIONS } from '../audiences/fixtures.ts'
import { IN_FLIGHT, measureBatches } from '../audiences/measure-batches.ts'
import { measureReads } from '../audiences/measure-reads.ts'
import type { Benchmark, Row, Run } from '../benchmark.ts'
import { besideBaseline } from '../beside-baseline.ts'
import { type Engine, engineName, engines } from '../databases.ts'
import { formatNumber } from '../statistics.ts'

const MIN_OF_BARE = 0.5
const MAX_MEMORY_MB = 400
const MAX_P99 = 2

const sizes = [
  { users: 1, what: `batches of ${formatNumber(OPERATIONS)} one-identifier operations` },
  { users: FULL_USERS, what: `full 5 MB batches of ${formatNumber(OPERATIONS * FULL_USERS)} identifiers` },
]

async function batchRows(engine: Engine, { users, what }: (typeof sizes)[number], run: Run): Promise<Row[]> {
  const { postern, bare, identifiers, peakMb } = await measureBatches(engine, users, run)
  const batches = postern.perSecond / identifiers
  const place = `${what}, ${IN_FLIGHT} in flight, ${engineName[engine]}`
  return [
    {
      what: `Identifiers/s in ${place}`,
      ...besideBaseline(postern, bare, 'bare inserts', MIN_OF_BARE),
      measured: `${postern.text}, ${formatNumber(batches)} batches/s`,
    },
    {
      what: `Batches/s, share of the documented limit, ${place}`,
      measured: formatNumber(batches),
      baseline: `${LIMIT_PER_SECOND}, the limit`,
      ratio: batches / LIMIT_PER_SECOND,
      ...(engine === 'sqlite' && users === 1 ? { target: 'ratio ≥ 1', isMet: batches >= LIMIT_PER_SECOND } : { target: '–' }),
    },
    {
      what: `Highest resident memory, ${place}`,
      measured: `${formatNumber(peakMb)} MB`,
      baseline: '–',
      target: `< ${MAX_MEMORY_MB} MB`,
      isMet: peakMb < MAX_MEMORY_MB,
    },
  ]
}

async function readRow(engine: Engine, run: Run): Promise<Row> {
  const { idleP99Ms, busyP99Ms } = await measureReads(engine, run)
  const ratio = busyP99Ms / idleP99Ms
  return {
    what: `Signed read of an account while ${LIMIT_PER_SECOND} batches/s of ${formatNumber(OPERATIONS)} operations stream in, p99, ${engineName[engine]}`,
    measured: `${formatNumber(busyP99Ms)} ms`,
    baseline: `${formatNumber(idleP99Ms)} ms without batches`,
    ratio,
    target: `ratio ≤ ${MAX_P99}`,
    isMet: ratio <= MAX_P99,
  }
}

export const audiences: Benchmark = {
  name: 'audiences',
  method: `Users of one custom audience, in signed batches of identifiers that nobody has had yet; rate limits off. The baseline inserts as many random identifiers into the same table with one prepared statement, sorted, one commit with fsync a batch: no HTTP, no JSON, no look for users who are there already. The reads are signed and come one after the other, 5 ms apart. The client shares the cores with the server. CPU time is that of the server and PostgreSQL, for each identifier.`,
  async measure(run) {
    const rows: Row[] = []
    for (const engine of engines) for (const size of sizes) rows.push(...(await batchRows(engine, size, run)))
    for (const engine of engines) rows.push(await readRow(engine, run))
    return rows
  },
}
