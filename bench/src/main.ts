// npm run bench: measures Postern beside baselines and prints one table.
import { availableParallelism, cpus, loadavg, release, type } from 'node:os'
import { parseArgs } from 'node:util'
import type { Benchmark, Row, Run } from './benchmark.ts'
import { benchmarks } from './benchmarks.ts'
import { startDatabases } from './databases.ts'
import { formatTable, writeReport } from './report.ts'
import { fullRun, quickRun } from './run-config.ts'

const names = benchmarks.map(({ name }) => name)

const USAGE = `npm run bench -- [--quick] [--only <name>]… [--write]

Measures Postern beside baselines, on loopback, and prints one table.

  --quick   fewer and shorter samples
  --only    one benchmark; repeat it for several: ${names.join(', ')}
  --write   also write the table of a whole run into docs/benchmarks.md`

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
  },
})

function exit(status: number, message: string): never {
  const stream = status === 0 ? process.stdout : process.stderr
  stream.write(`${message}\n`)
  process.exit(status)
}

if (options.help) exit(0, USAGE)
const unknown = options.only?.filter((name) => !names.includes(name)) ?? []
if (unknown.length > 0) exit(1, `There is no benchmark ${unknown.join(', ')}; there are ${names.join(', ')}.`)
if (options.only && options.write) exit(1, '--write writes the table of a whole run: leave out --only.')

/** The machine, and its load before the run. */
function describeMachine(): string {
  const cores = `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), load ${loadavg()[0]!.toFixed(1)} before the run`
  return `${cores}; ${type()} ${release().split('.', 2).join('.')}`
}

/** A benchmark that fails has no rows, and the run continues. */
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
await using databases = await startDatabases()
const [{ server_version: postgres }] = (await databases.query('show server_version')) as [{ server_version: string }]
const environment = `${machine}, Node ${process.versions.node}, SQLite ${process.versions.sqlite}, PostgreSQL ${postgres}.`
const chosen = options.only ? benchmarks.filter(({ name }) => options.only!.includes(name)) : benchmarks
const rows: Row[] = []
for (const benchmark of chosen) rows.push(...(await measure(benchmark, { config, databases })))
process.stdout.write(`${formatTable(rows)}\n\n${environment}\n`)
if (options.write && process.exitCode === 1) process.stderr.write('A benchmark failed: docs/benchmarks.md is unchanged.\n')
else if (options.write) await writeReport({ benchmarks, rows, config, environment })
