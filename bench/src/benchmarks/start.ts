import { execFile } from 'node:child_process'
import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { buildPackage } from '../../../scripts/build-package.ts'
import { installFromRegistry, type Project } from '../../../scripts/install-from-registry.ts'
import { posternPackage } from '../../../scripts/packages.ts'
import { type Database, type Engine, engineName, engines } from '../databases.ts'
import { formatNumber, formatSpread, median, roundRobin } from '../measure.ts'
import { databaseSettings, freePorts, type ProgramInfo, startPostern, startProgram } from '../postern-process.ts'
import { residentMb } from '../process-status.ts'
import { startReceiver } from '../receiver.ts'
import type { Benchmark, Row, Run } from '../report.ts'
import { temporaryFolder } from '../worker.ts'

const BENCH = resolve(import.meta.dirname, '../..')
const MEGABYTE = 1_000_000
const MAX_INSTALLED_MB = 25
const WEBHOOKS = 100
const EVENTS = 10_000
const MAX_DELIVERED_MB = 200
const MAX_KIT_CPU_MS = 80
const MAX_READY_MEMORY = 1.4

/** Fastify alone, until it listens. */
const BARE = `import { fastify } from 'fastify'
const base_url = await fastify().listen({ port: 0, host: '127.0.0.1' })
console.log(JSON.stringify({ msg: 'ready', base_url }))`

interface InstalledPackage extends Project, AsyncDisposable {
  bytes: number
}

/** Builds the package and installs it into an empty folder. */
async function install(): Promise<InstalledPackage> {
  const home = await temporaryFolder()
  const out = join(home.path, 'built')
  await buildPackage({ ...posternPackage(), out })
  const project = await installFromRegistry(home.path, 'postern', { postern: out })
  const entries = await readdir(join(project.folder, 'node_modules'), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  return { ...project, bytes, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() }
}

type Start = Pick<ProgramInfo, 'readyMs' | 'readyMb'>

/** Starts of the installed package, of the sources and of bare Fastify. */
function startsOf({ folder }: Project, postgres: Database) {
  const packaged = join(folder, 'node_modules/postern')
  const started = async (argument: Parameters<typeof startProgram>[0]): Promise<Start> => {
    await using program = await startProgram(argument)
    return { readyMs: program.readyMs, readyMb: program.readyMb }
  }
  const command = (cwd?: string, environment = {}) =>
    started({ words: [join(packaged, 'postern/src/cli/main.js')], folder: cwd, environment: { ...freePorts, ...environment } })
  return {
    bare: () => started({ words: ['--input-type=module', '-e', BARE], folder: BENCH, environment: {} }),
    async first() {
      await rm(join(packaged, 'node_modules/.cache'), { recursive: true, force: true })
      return await command()
    },
    later: () => command(folder),
    sources: () => started({ environment: freePorts }),
    postgres: () => command(undefined, databaseSettings(postgres)),
  }
}

/** CPU time of `startPostern()` in one process, in milliseconds: the median of seven, after a first one. */
async function kitCpuMs({ folder, environment }: Project): Promise<number> {
  const script = join(folder, 'in-process.js')
  await writeFile(
    script,
    `const { startPostern } = await import('postern')
const micros = []
for (let place = 0; place < 8; place += 1) {
  const before = process.cpuUsage()
  const server = await startPostern()
  const { user, system } = process.cpuUsage(before)
  micros.push(user + system)
  await server.stop()
}
console.log(JSON.stringify(micros.slice(1)))`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [script], { cwd: folder, env: environment })
  return median(JSON.parse(stdout.trim().split('\n').at(-1)!)) / 1000
}

/** Resident memory of a fresh Postern that has delivered events. */
async function deliveredMb(engine: Engine, { databases }: Run): Promise<number> {
  await using database = await databases.open(engine)
  await using postern = await startPostern({ database })
  await using receiver = await startReceiver(WEBHOOKS)
  await postern.seed({ count: WEBHOOKS, port: receiver.port })
  await postern.publish(EVENTS, WEBHOOKS)
  await receiver.receive(EVENTS)
  return await residentMb(postern.pid)
}

/** The best of some starts beside the best of bare Fastify, with the ratio of each round. */
function besideBare(what: string, unit: string, values: number[], bare: number[], maxRatio: number): Row {
  const [best, bestBare] = [Math.min(...values), Math.min(...bare)]
  return {
    what,
    measured: `${formatSpread(best, values)} ${unit}`,
    baseline: `${formatSpread(bestBare, bare)} ${unit} bare Fastify`,
    ratio: best / bestBare,
    ratios: values.map((value, round) => value / bare[round]!),
    target: `ratio ≤ ${maxRatio}`,
    isMet: best / bestBare <= maxRatio,
  }
}

/** A row with a maximum, and no baseline. */
const atMost = (what: string, unit: string, values: number[], max: number): Row => ({
  what,
  measured: `${formatSpread(Math.min(...values), values)} ${unit}`,
  baseline: '–',
  target: `≤ ${max} ${unit}`,
  isMet: Math.min(...values) <= max,
})

const SHOWN = {
  first: { name: 'package, the first', maxRatio: 2 },
  later: { name: 'package, a later one', maxRatio: 1.5 },
  sources: { name: 'from the sources', maxRatio: 2.5 },
  postgres: { name: 'package, a later one on PostgreSQL', maxRatio: 2 },
} as const

export const start: Benchmark = {
  name: 'start',
  method: `From the spawn of \`node\` to the log line \`ready\`, and VmRSS by then; the best of the starts. The baseline is a process with Fastify from spawn to listening. The package is the packed one, installed by npm, with its default settings: its first start is in an empty folder, with nothing compiled, where it makes secrets and a database with the demo seed; a later one is in a folder where it ran, on PostgreSQL on a database that has its tables. From the sources: the command of \`npm start\` in an empty folder, with what an earlier start has compiled. \`startPostern()\`: CPU time of later starts in one process, the median of seven. After ${formatNumber(EVENTS)} events: \`npm start\` with a database of its own has delivered them, of 1 KB, to ${WEBHOOKS} webhooks, accepted 500 per request; without PostgreSQL. The size of the package is that of all files below \`node_modules\`.`,
  async measure(run) {
    await using project = await install()
    await using postgres = await run.databases.open('postgres')
    const starts = startsOf(project, postgres)
    await starts.later()
    await starts.postgres()
    const measured = await roundRobin(run.config.starts, starts)
    const kit = await roundRobin(run.config.starts, { cpuMs: () => kitCpuMs(project) })
    const delivered = await roundRobin(run.config.starts, {
      sqlite: () => deliveredMb('sqlite', run),
      postgres: () => deliveredMb('postgres', run),
    })
    const of = (name: keyof typeof measured, value: keyof Start) => measured[name].map((one) => one[value])
    const megabytes = project.bytes / MEGABYTE
    const shown = Object.entries(SHOWN) as [keyof typeof SHOWN, (typeof SHOWN)[keyof typeof SHOWN]][]
    return [
      ...shown.map(([name, { name: what, maxRatio }]) =>
        besideBare(`Start-up time, ${what}`, 'ms', of(name, 'readyMs'), of('bare', 'readyMs'), maxRatio),
      ),
      atMost('`startPostern()`, CPU time of a later one in a process', 'ms', kit.cpuMs, MAX_KIT_CPU_MS),
      ...shown.map(([name, { name: what }]) =>
        besideBare(`Resident memory when ready, ${what}`, 'MB', of(name, 'readyMb'), of('bare', 'readyMb'), MAX_READY_MEMORY),
      ),
      ...engines.map((engine) =>
        atMost(
          `Resident memory, ${formatNumber(EVENTS)} events delivered, ${engineName[engine]}`,
          'MB',
          delivered[engine],
          MAX_DELIVERED_MB,
        ),
      ),
      {
        what: 'Package `postern` with all dependencies, installed',
        measured: `${formatNumber(megabytes)} MB, in ${formatNumber(project.installMs / 1000)} s`,
        baseline: '–',
        target: `≤ ${MAX_INSTALLED_MB} MB`,
        isMet: megabytes <= MAX_INSTALLED_MB,
      },
    ]
  },
}
