import { type Logger, pino } from 'pino'
import { createSeal } from '../../../server/src/lib/seal.ts'
import type { EventLog } from '../../../server/src/storage/event-log.ts'
import { openDatabase } from '../../../server/src/storage/open-database.ts'
import type { Storage } from '../../../server/src/storage/storage.ts'
import { createRandom } from '../../../server/test/stage/random.ts'
import { anApp, rawRows } from '../../../server/test/storage/samples.ts'
import { CONSUMER_SECRET } from '../fixtures.ts'
import { createHandMovedClock, type HandMovedClock } from './hand-moved-clock.ts'
import { type Server, startServers } from './servers.ts'
import { countStatements, type Statements } from './statements.ts'
import { APPS, createWorld, type World } from './world.ts'

const SECRET = 'secret'.repeat(6)

/** CPU in seconds, by who took it. */
export interface Cpu {
  process: number
  state: number
  logs: number
}

/** The databases with the world in them, opened as a server does, and the clock. */
export interface Stage {
  clock: HandMovedClock
  statements: Statements
  random: () => number
  world: World
  state: Server
  logs: readonly Server[]
  storage: Storage
  eventLog: EventLog
  logger: Logger
  /** Runs what is due until a date, or until it is over. The clock stands still while a database is asked. */
  run(untilMs: number, isOver?: () => boolean): Promise<void>
  /** Starts to measure CPU. */
  watchCpu(): Promise<() => Promise<Cpu>>
}

/** The sum of what each server answers. */
export const asks = async (servers: readonly Server[], ask: (server: Server) => Promise<number>) => {
  const answers = await Promise.all(servers.map(ask))
  return answers.reduce((sum, one) => sum + one, 0)
}

async function watchCpuOf(state: Server, logs: readonly Server[]): Promise<() => Promise<Cpu>> {
  const read = async (): Promise<Cpu> => {
    const { user, system } = process.cpuUsage()
    return { process: user + system, state: await state.cpuMicros(), logs: await asks(logs, (log) => log.cpuMicros()) }
  }
  const before = await read()
  return async () => {
    const after = await read()
    const seconds = (part: keyof Cpu) => (after[part] - before[part]) / 1e6
    return { process: seconds('process'), state: seconds('state'), logs: seconds('logs') }
  }
}

async function fill(storage: Storage, { url }: Server, world: World, nowMs: number) {
  for (let app = 1; app <= APPS; app += 1)
    await storage.apps.insert(anApp({ id: String(app), consumerKey: `key of ${app}`, consumerSecret: CONSUMER_SECRET }))
  for (const insert of world.inserts(nowMs)) await rawRows(url, insert)
}

export interface StageOptions {
  webhooks: number
  logs: number
  seed: number
}

/** Everything that it starts has ended when the stack is disposed of. */
export async function setStage(stack: AsyncDisposableStack, { webhooks, logs: logCount, seed }: StageOptions): Promise<Stage> {
  const servers = await startServers(1 + logCount)
  stack.defer(async () => void (await Promise.all(servers.map((server) => server.stop()))))
  const [state, ...logs] = servers as [Server, ...Server[]]
  const statements = countStatements()
  const clock = createHandMovedClock()
  const random = createRandom(seed)
  const world = createWorld(webhooks, random)
  const logger = pino({ level: 'silent' })
  const logUrls = logs.map(({ url }) => url)
  const { storage, eventLog, close } = await openDatabase({
    recordTypes: [],
    url: state.url,
    clock,
    seal: createSeal([SECRET]),
    logger,
    logUrls,
  })
  const run = async (untilMs: number, isOver = () => false) => {
    await statements.answered()
    while (!isOver() && clock.next(untilMs)) await statements.answered()
  }
  stack.defer(async () => {
    await close()
    await statements.answered()
  })
  await fill(storage, state, world, clock.now())
  const watchCpu = () => watchCpuOf(state, logs)
  return { clock, statements, random, world, state, logs, storage, eventLog, logger, run, watchCpu }
}
