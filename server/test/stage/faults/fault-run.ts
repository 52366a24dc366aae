import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type CountedCallback, type CountingReceiver, startCountingReceiver } from '../counting-receiver.ts'
import { databaseIn, type Flavour, freshDatabase } from '../database.ts'
import { demo } from '../demo-client.ts'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'
import { createRandom } from '../random.ts'
import { mountSmallDisk, type SmallDisk } from '../small-disk.ts'
import { startAlike } from './alike.ts'
import { faults, LONGEST_MS, type Scene } from './faults.ts'
import { type Fleet, type FleetOptions, startFleet } from './fleet.ts'
import { acceptedBy, type Load, missingOf, type Source, underLoad } from './load.ts'
import type { Member } from './member.ts'

const PUBLISHERS = 2
/** How much comes, at least, between two faults. */
const BETWEEN_FAULTS = 200
/** Between two calls of each producer of a fleet: its processes share the machine with four servers and the callbacks. */
const FLEET_PAUSE_MS = 200
/** The disk that the database is on, where one can be mounted: that takes root. */
const DISK_MEGABYTES = 512
/** When nothing came for so long, what is missing is lost. */
const LOST_AFTER_MS = 60_000

export interface SufferedFault {
  name: string
  /** After how many milliseconds every process served that was to serve. */
  servedMs: number
  /** Of what was accepted since, and before the next. */
  lost: number
  /** Deliveries beyond one for each event that came since, and before the next. */
  doubled: number
  /** What was in flight, or had come and was not recorded: so much may be doubled. Known of a fleet alone. */
  allowed: number
}

export interface FaultFigures {
  faults: SufferedFault[]
  accepted: number
  missing: number
  /** Deliveries beyond one for each event. */
  again: number
  /** The most resident memory of a process after a fault, in bytes. */
  memoryBytes: number
}

interface RunOptions {
  /** How many. */
  count: number
  seed: number
  /** Which; all that the database can have unless said. */
  names?: readonly string[]
  progress?: (text: string) => void
}

export interface FaultRunOptions extends RunOptions {
  flavour: Flavour
}

export interface FleetRunOptions extends RunOptions {
  fleet: FleetOptions
}

/** What suffers. */
interface Stage {
  members: readonly Member[]
  callbacks: readonly CountedCallback[]
  postgres?: PostgresServer | undefined
  room?: SmallDisk | undefined
  fleet?: Fleet
}

const came = ({ callbacks }: Stage) => callbacks.reduce((sum, { times }) => sum + times.length, 0)
const doubledIn = ({ callbacks }: Stage) => callbacks.reduce((sum, { times, counts }) => sum + times.length - counts.size, 0)

/** Infinity when it is not so after twice the time that anything may take. */
async function msUntil(isSo: () => Promise<boolean> | boolean): Promise<number> {
  const beganMs = performance.now()
  while (!(await isSo())) {
    if (performance.now() - beganMs > 2 * LONGEST_MS) return Number.POSITIVE_INFINITY
    await pause(100)
  }
  return performance.now() - beganMs
}

const untilServing = async (members: readonly Member[]) =>
  Math.max(0, ...(await Promise.all(members.map((member) => msUntil(() => member.serves())))))

const untilArriving = async ({ sources }: Load, isMeant: (source: Source) => boolean = () => true) => {
  const each = sources.filter(isMeant).map((source) => {
    const before = source.accepted.length
    return msUntil(() => source.arrived() > before)
  })
  return Math.max(0, ...(await Promise.all(each)))
}

/** Gives up, and lets the figures tell, when before it is so nothing has come for a long time. */
async function untilCame({ receiver }: Load, stage: Stage, isSo: () => boolean) {
  const stuck = Promise.withResolvers<void>()
  let before = -1
  const watch = setInterval(() => {
    const now = came(stage)
    if (now === before) stuck.resolve()
    before = now
  }, LOST_AFTER_MS)
  await Promise.race([receiver.when(isSo), stuck.promise])
  clearInterval(watch)
}

async function memoryOf({ process: { child } }: Member): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
  return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0)
}

type NamedFault = [name: string, fault: (scene: Scene) => Promise<number>]

/** Every fault once, in an order of chance, again and again. */
function* inTurn(all: readonly NamedFault[], random: () => number): Generator<NamedFault, never> {
  for (;;)
    yield* all
      .map((one) => ({ one, order: random() }))
      .sort((one, other) => one.order - other.order)
      .map(({ one }) => one)
}

async function suffer(load: Load, stage: Stage, all: readonly NamedFault[], { count, seed, names, progress }: RunOptions) {
  const random = createRandom(seed)
  const suffered: SufferedFault[] = []
  const { members, postgres, room, fleet } = stage
  const scene: Scene = {
    members,
    random,
    untilServing,
    untilArriving: (isMeant) => untilArriving(load, isMeant),
    ...(postgres && { postgres }),
    ...(room && { room }),
    ...(fleet && { fleet }),
  }
  const next = inTurn(
    all.filter(([name]) => names === undefined || names.includes(name)),
    random,
  )
  let memoryBytes = 0
  let doubled = doubledIn(stage)
  const countDoubled = () => {
    const before = doubled
    doubled = doubledIn(stage)
    return doubled - before
  }
  for (let number = 0; number < count; number += 1) {
    const enough = came(stage) + BETWEEN_FAULTS
    await untilCame(load, stage, () => came(stage) >= enough)
    const late = countDoubled()
    if (number > 0) suffered[number - 1]!.doubled += late
    load.faults += 1
    const [name, fault] = next.next().value
    const what = `${number + 1} of ${count}, ${name}`
    progress?.(`${what} …`)
    const servedMs = Math.ceil(await fault(scene))
    suffered.push({ name, servedMs, lost: 0, doubled: countDoubled(), allowed: fleet?.allowed() ?? 0 })
    memoryBytes = Math.max(memoryBytes, ...(await Promise.all(members.map(memoryOf))))
    progress?.(`${what}: served after ${servedMs / 1000} s; ${acceptedBy(load)} accepted, ${came(stage)} came, ${doubled} of them again`)
  }
  return { suffered, memoryBytes, countDoubled }
}

/** Faults one after the other under load, on processes that share a database; what was accepted and what came is counted on the other side. */
async function sufferUnderLoad(
  stage: Stage,
  sources: readonly Source[],
  { receiver, producers, pauseMs }: { receiver: CountingReceiver; producers: number; pauseMs: number },
  all: readonly NamedFault[],
  options: RunOptions,
): Promise<FaultFigures> {
  const called = stage.members.filter(({ roles }) => roles.includes('api'))
  const load: Load = { called, receiver, sources, faults: 0, pauseMs, isOver: false }
  const { suffered, memoryBytes, countDoubled } = await underLoad(load, producers, () => suffer(load, stage, all, options))
  const isWhole = () => sources.every((source) => source.arrived() === source.accepted.length)
  await untilCame(load, stage, isWhole)
  suffered.at(-1)!.doubled += countDoubled()
  const missing = missingOf(load)
  for (const { user, accepted, heard } of sources) {
    const lost = accepted.filter((uuid) => !heard.every(({ counts }) => counts.has(uuid)))
    if (lost.length > 0) options.progress?.(`of the events of ${user} ${lost.length} are missing, the first is ${lost[0]}`)
  }
  for (const [faultsBefore, count] of missing) suffered[Math.max(0, faultsBefore - 1)]!.lost += count
  return {
    faults: suffered,
    accepted: acceptedBy(load),
    missing: [...missing.values()].reduce((sum, count) => sum + count, 0),
    again: doubledIn(stage),
    memoryBytes,
  }
}

/** Faults on processes with all roles: one on SQLite, two on a PostgreSQL. */
export async function runFaults(options: FaultRunOptions): Promise<FaultFigures> {
  const { flavour } = options
  const postgres = flavour === 'postgres' ? await startPostgres({ settings: ['autovacuum=off'] }) : undefined
  if (postgres) process.env.POSTERN_TEST_POSTGRES = postgres.url
  try {
    await using room = await mountSmallDisk(DISK_MEGABYTES)
    await using database = await (room ? databaseIn(flavour, room.folder) : freshDatabase(flavour))
    await using alike = await startAlike(postgres ? 2 : 1, { databaseUrl: database.url })
    const { members, receiver, live, source } = alike
    const all = Object.entries(faults[flavour]).filter(([name]) => room || name !== 'full disk')
    const stage = { members, callbacks: [live], postgres, room }
    return await sufferUnderLoad(stage, [source], { receiver, producers: PUBLISHERS, pauseMs: 0 }, all, options)
  } finally {
    await postgres?.stop()
  }
}

/** Faults on two processes of each kind, over a database for the state and several for the event log. */
export async function runFleetFaults(options: FleetRunOptions): Promise<FaultFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-fleet-'))
  try {
    await using receiver = await startCountingReceiver(demo.secret)
    await using fleet = await startFleet(options.fleet, folder, receiver)
    const { members, callbacks, sources } = fleet
    const all = Object.entries({ ...faults.fleet, ...(fleet.logs.length > 1 && faults.logs) })
    return await sufferUnderLoad({ members, callbacks, fleet }, sources, { receiver, producers: 1, pauseMs: FLEET_PAUSE_MS }, all, options)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
