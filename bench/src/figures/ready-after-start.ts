import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { startBareFastify } from '../bare-fastify.ts'
import { type Database, nameOf } from '../databases.ts'
import type { Figure, Line } from '../figure.ts'
import { inTurn } from '../interleave.ts'
import { median } from '../median.ts'
import { inWords, withSpread } from '../numbers.ts'
import { startPostern } from '../postern-process.ts'
import { startReceiver } from '../receiver.ts'
import type { Run } from '../run.ts'

const WEBHOOKS = 1000
const EVENTS = 10_000
const MOST_MS = 400

async function timed(start: () => Promise<AsyncDisposable | undefined>): Promise<number> {
  const startedMs = performance.now()
  const started = await start()
  const passedMs = performance.now() - startedMs
  await started?.[Symbol.asyncDispose]()
  return passedMs
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
  await receiver.take(EVENTS)
}

async function measure({ pace, databases }: Run) {
  await using files = await databases.open('sqlite')
  await using tables = await databases.open('postgres')
  await fill(files)
  await fill(tables)
  return await inTurn(pace.starts, {
    node: () => timed(() => promisify(execFile)(process.execPath, ['-e', '0']).then(() => undefined)),
    fastify: () => timed(() => startBareFastify()),
    first: () => posternReadyMs(),
    later: () => posternReadyMs(files),
    laterOnTables: () => posternReadyMs(tables),
  })
}

const shown = (values: number[]) => `${withSpread(median(values), values)} ms`

export const readyAfterStart: Figure = {
  name: 'ready',
  limit: `From the spawn of \`node server/src/main.js\` to its line \`ready\`: the first start ever, in a folder without anything, where secrets and database are made; and a later one, on a database with ${inWords(WEBHOOKS)} webhooks and ${inWords(EVENTS)} delivered events. Beside it \`node -e 0\` from spawn to end, and a process with Fastify from spawn to listening.`,
  async measure(run) {
    const { node, fastify, first, later, laterOnTables } = await measure(run)
    const limit = `${shown(node)} node, ${shown(fastify)} bare Fastify`
    const line = (which: string, values: number[], most?: number): Line => ({
      what: `Ready after the start, ${which}`,
      measured: shown(values),
      limit,
      aim: most === undefined ? '–' : `< ${most} ms`,
      isMet: most === undefined ? undefined : median(values) < most,
    })
    return [
      line(`the first ever, ${nameOf.sqlite}`, first, MOST_MS),
      line(`a later one, ${nameOf.sqlite}`, later, MOST_MS),
      line(`a later one, ${nameOf.postgres}`, laterOnTables),
    ]
  },
}
