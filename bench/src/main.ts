// Measures every figure beside its limit and prints one table: npm run bench -- [--quick] [--only <name>]… [--write]
import { parseArgs } from 'node:util'
import { startDatabases } from './databases.ts'
import type { Figure, Line } from './figure.ts'
import { figures } from './figures.ts'
import { machine } from './machine.ts'
import { fullPace, quickPace } from './pace.ts'
import type { Run } from './run.ts'
import { table } from './table.ts'
import { writePage } from './write-page.ts'

const { values: asked } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
  },
})

function refuse(why: string): never {
  process.stderr.write(`${why}\n`)
  process.exit(1)
}

const names = figures.map(({ name }) => name)
const unknown = asked.only?.filter((name) => !names.includes(name)) ?? []
if (unknown.length > 0) refuse(`There is no figure ${unknown.join(', ')}; there are ${names.join(', ')}.`)
if (asked.only && asked.write) refuse('--write writes the whole table, of one run: leave out --only.')

/** A figure that fails leaves its lines out, and the run goes on. */
async function measured({ name, measure }: Figure, run: Run): Promise<Line[]> {
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

const pace = asked.quick ? quickPace : fullPace
const before = machine()
await using databases = await startDatabases()
const [{ server_version: postgres }] = (await databases.ask('show server_version')) as [{ server_version: string }]
const circumstances = `${before}, Node ${process.versions.node}, SQLite ${process.versions.sqlite}, PostgreSQL ${postgres}.`
const chosen = asked.only ? figures.filter(({ name }) => asked.only!.includes(name)) : figures
const lines: Line[] = []
for (const figure of chosen) lines.push(...(await measured(figure, { pace, databases })))
process.stdout.write(`${table(lines)}\n\n${circumstances}\n`)
if (asked.write && process.exitCode === 1) process.stderr.write('A figure failed: docs/benchmarks.md stays as it is.\n')
else if (asked.write) await writePage({ figures, lines, pace, circumstances })
