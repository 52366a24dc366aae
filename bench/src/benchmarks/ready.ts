import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { startBareFastify } from '../bare-fastify.ts'
import type { Benchmark, Row, Run } from '../benchmark.ts'
import { type Database, engineName } from '../databases.ts'
import { roundRobin } from '../interleave.ts'
import { startPostern } from '../postern-process.ts'
import { startReceiver } from '../receiver.ts'
import { formatNumber, formatSpread, median } from '../statistics.ts'

const WEBHOOKS = 1000
const EVENTS = 10_000
const MAX_READY_MS = 350

async function timeToStart(start: () => Promise<AsyncDisposable | undefined>): Promise<number> {
  const startedMs = performance.now()
  const started = await start()
  const elapsedMs = performance.now() - startedMs
  await started?.[Symbol.asyncDispose]()
  return elapsedMs
}

async function posternReadyMs(database?: Database): Promise<number> {
  await using postern = await startPostern({ database })
  return postern.readyMs
}

async function fill(database: Database) {
  await using postern = await startPostern({ database })
  await using receiver = await startReceiver(WEBHOOKS)
  await postern.seed({ count: WEBHOOKS, port: receiver.port })
  await postern.publish(EVENTS, WEBHOOKS)
  await receiver.receive(EVENTS)
}

async function measure({ config, databases }: Run) {
  await using sqlite = await databases.open('sqlite')
  await using postgres = await databases.open('postgres')
  await fill(sqlite)
  await fill(postgres)
  return await roundRobin(config.starts, {
    node: () => timeToStart(() => promisify(execFile)(process.execPath, ['-e', '0']).then(() => undefined)),
    fastify: () => timeToStart(() => startBareFastify()),
    first: () => posternReadyMs(),
    later: () => posternReadyMs(sqlite),
    laterPostgres: () => posternReadyMs(postgres),
  })
}

const format = (values: number[]) => `${formatSpread(median(values), values)} ms`

export const ready: Benchmark = {
  name: 'ready',
  method: `From the spawn of \`node server/src/main.js\` to its log line \`ready\`. The first start runs in an empty folder, where it generates secrets and creates the database. A later start runs on a database with ${formatNumber(WEBHOOKS)} webhooks and ${formatNumber(EVENTS)} delivered events. Baselines: \`node -e 0\` from spawn to exit, and a process with Fastify from spawn to listening.`,
  async measure(run) {
    const { node, fastify, first, later, laterPostgres } = await measure(run)
    const baseline = `${format(node)} node, ${format(fastify)} bare Fastify`
    const row = (which: string, values: number[], maxMs?: number): Row => ({
      what: `Start-up time, ${which}`,
      measured: format(values),
      baseline,
      target: maxMs === undefined ? '–' : `< ${maxMs} ms`,
      isMet: maxMs === undefined ? undefined : median(values) < maxMs,
    })
    return [
      row(`the first, ${engineName.sqlite}`, first, MAX_READY_MS),
      row(`a later one, ${engineName.sqlite}`, later, MAX_READY_MS),
      row(`a later one, ${engineName.postgres}`, laterPostgres),
    ]
  },
}
