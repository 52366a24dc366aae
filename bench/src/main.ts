// npm run bench: measures Postern beside baselines and prints a table.
import { execFileSync } from 'node:child_process'
import { availableParallelism, cpus, loadavg, release, type } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { accepts } from './benchmarks/accepts.ts'
import { byHand } from './benchmarks/by-hand.ts'
import { deliveries } from './benchmarks/deliveries.ts'
import { latency } from './benchmarks/latency.ts'
import { lists } from './benchmarks/lists.ts'
import { logs } from './benchmarks/logs.ts'
import { matching } from './benchmarks/matching.ts'
import { bearerReads, signedReads } from './benchmarks/reads.ts'
import { start } from './benchmarks/start.ts'
import { streams } from './benchmarks/streams.ts'
import { startDatabases } from './databases.ts'
import { fullRun, quickRun } from './measure.ts'
import { type Benchmark, formatTable, type Row, type Run, writeReport } from './report.ts'

/** All benchmarks, in the order of the table. */
const benchmarks: readonly Benchmark[] = [
  ...accepts,
  ...deliveries,
  latency,
  logs,
  matching,
  bearerReads,
  signedReads,
  byHand,
  lists,
  streams,
  start,
]
const names = benchmarks.map(({ name }) => name)

const USAGE = `npm run bench -- [--quick] [--only <name>]… [--write]

Measures Postern beside baselines, on loopback, and prints a table.

  --quick   fewer and shorter samples
  --only    one benchmark; repeat it for several: ${names.join(', ')}
  --write   also write each table into its section of docs/benchmarks.md; only on a quiet machine`

function exit(status: number, message: string): never {
  const stream = status === 0 ? process.stdout : process.stderr
  stream.write(`${message}\n`)
  process.exit(status)
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        quick: { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true },
      },
    }).values
  } catch (error) {
    return exit(2, `${(error as Error).message}\n\n${USAGE}`)
  }
}

/** The share of the cores that other programs may take before a run. */
const MAX_LOAD = 0.5

const options = readOptions()

if (options.help) exit(0, USAGE)
const unknown = options.only?.filter((name) => !names.includes(name)) ?? []
if (unknown.length > 0) exit(2, `There is no benchmark ${unknown.join(', ')}; there are ${names.join(', ')}.`)
if (options.write && options.quick) exit(2, '--write writes what others compare with: leave out --quick.')

const [load] = loadavg() as [number]
if (load > availableParallelism() * MAX_LOAD) {
  const busy = `Other programs keep the machine busy (load ${load.toFixed(1)} on ${availableParallelism()} cores), which changes the ratios too`
  if (options.write) exit(1, `${busy}: --write waits for a quiet machine.`)
  process.stderr.write(`${busy}.\n`)
}

/** The machine, and its load before the run. */
function describeMachine(): string {
  const cores = `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), load ${load.toFixed(1)} before the run`
  return `${cores}; ${type()} ${release().split('.', 2).join('.')}`
}

/** A benchmark that fails has no rows, its section stays as it was, and the run continues. */
async function measure({ name, measure }: Benchmark, run: Run): Promise<Row[]> {
  const startedMs = performance.now()
  process.stderr.write(`measuring ${name} … `)
  try {
    return await measure(run)
  } catch (error) {
    process.exitCode = 1
    process.stderr.write(`failed: ${error instanceof Error ? error.stack : error}; `)
    return []
  } finally {
    process.stderr.write(`${Math.round((performance.now() - startedMs) / 1000)} s\n`)
  }
}

const config = options.quick ? quickRun : fullRun
const machine = describeMachine()
// What `npm start` would make after its first start.
execFileSync(process.execPath, [resolve(import.meta.dirname, '../../scripts/bundle-server.ts')])
await using databases = await startDatabases()
const environment = `${machine}, Node ${process.versions.node}, SQLite ${process.versions.sqlite}, PostgreSQL ${databases.postgresVersion}.`
const chosen = options.only ? benchmarks.filter(({ name }) => options.only!.includes(name)) : benchmarks
const rows: Row[] = []
for (const benchmark of chosen) {
  const measured = await measure(benchmark, { config, databases })
  if (options.write && measured.length > 0) await writeReport({ benchmark, rows: measured, config, environment })
  rows.push(...measured)
}
const quickNote = options.quick ? ' A quick run: its samples are too few and too short for a comparison.' : ''
process.stdout.write(`${formatTable(rows)}\n\n${environment}${quickNote}\n`)
