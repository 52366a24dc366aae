import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type CountedCallback, type CountingReceiver, startCountingReceiver } from '../counting-receiver.ts'
import { databaseIn, type Flavour, freshDatabase } from '../database.ts'
import { demo, messages, subscribe } from '../demo-client.ts'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'
import { createRandom } from '../random.ts'
import { mountSmallDisk, type SmallDisk } from '../small-disk.ts'
import { faults, LONGEST_MS } from './faults.ts'
import { type Member, startMember } from './member.ts'

const LIVE_USER = '101'
const EVENTS_A_REQUEST = 20
const PUBLISHERS = 2
/** What may be accepted and not yet received. */
const MOST_OUTSTANDING = 600
/** How much comes, at least, between two faults. */
const BETWEEN_FAULTS = 200
/** The disk that the database is on, where one can be mounted: that takes root. */
const DISK_MEGABYTES = 512
/** When nothing came for so long, what is missing is lost. */
const LOST_AFTER_MS = 60_000

export interface SufferedFault {
  name: string
  /** After how many milliseconds every process served that was to serve. */
  servedMs: number
}

export interface FaultFigures {
  faults: SufferedFault[]
  accepted: number
  missing: number
  /** Deliveries beyond one for each event. */
  again: number
}

export interface FaultRunOptions {
  flavour: Flavour
  /** How many. */
  count: number
  seed: number
  /** Which; all that the database can have unless said. */
  names?: readonly string[]
  progress?: (text: string) => void
}

interface Load {
  members: readonly Member[]
  receiver: CountingReceiver
  live: CountedCallback
  accepted: Set<string>
  isOver: boolean
}

const outstanding = ({ accepted, live }: Load) => accepted.size - live.counts.size

/** Publishes events with uuids of its own, each again, with any process, until it is accepted. */
async function publishInTurn(load: Load, first: number) {
  for (let next = first; !load.isOver; next += EVENTS_A_REQUEST) {
    await load.receiver.when(() => load.isOver || outstanding(load) < MOST_OUTSTANDING)
    const events = messages(LIVE_USER, EVENTS_A_REQUEST).map((event, place) => ({ ...event, event_uuid: String(next + place) }))
    for (let tries = first; ; tries += 1) {
      const status = await load.members[tries % load.members.length]!.operator('POST', '/operator/events', { events })
      if (status === 202) break
      if (status !== undefined && status !== 503) throw new Error(`an accept was answered ${status}`)
      if (load.isOver) return
      await pause(50)
    }
    for (const { event_uuid } of events) load.accepted.add(event_uuid)
    load.receiver.changed()
  }
}

/** Changes the app again and again, so that processes are met inside transactions that hold it. */
async function changeInTurn(load: Load, member: Member) {
  while (!load.isOver) {
    await member.operator('PATCH', '/operator/apps/1', { webhook_limit: 5 })
    await pause(20)
  }
}

async function untilServing(members: readonly Member[]): Promise<number> {
  const beganMs = performance.now()
  const serving = async (member: Member) => {
    while (!(await member.serves())) {
      if (performance.now() - beganMs > 2 * LONGEST_MS) return Number.POSITIVE_INFINITY
      await pause(100)
    }
    return performance.now() - beganMs
  }
  return Math.max(0, ...(await Promise.all(members.map(serving))))
}

/** Gives up, and lets the figures tell, when before it is so nothing has come for a long time. */
async function untilCame({ receiver, live }: Load, isSo: () => boolean) {
  const stuck = Promise.withResolvers<void>()
  let before = -1
  const watch = setInterval(() => {
    if (live.times.length === before) stuck.resolve()
    before = live.times.length
  }, LOST_AFTER_MS)
  await Promise.race([receiver.when(isSo), stuck.promise])
  clearInterval(watch)
}

async function suffer(
  load: Load,
  { flavour, count, seed, names, progress }: FaultRunOptions,
  postgres: PostgresServer | undefined,
  room: SmallDisk | undefined,
) {
  const random = createRandom(seed)
  const suffered: SufferedFault[] = []
  const all = Object.entries(faults[flavour]).filter(
    ([name]) => (names === undefined || names.includes(name)) && (room || name !== 'full disk'),
  )
  for (let number = 0; number < count; number += 1) {
    const enough = load.live.times.length + BETWEEN_FAULTS
    await untilCame(load, () => load.live.times.length >= enough)
    const [name, fault] = all[number % all.length]!
    const servedMs = Math.ceil(await fault({ members: load.members, random, postgres, room, untilServing }))
    suffered.push({ name, servedMs })
    progress?.(`${number + 1}: ${name}, serving after ${servedMs} ms; ${load.accepted.size} accepted, ${load.live.counts.size} came`)
  }
  return suffered
}

/** Faults one after the other under load, on processes that share a database; what was accepted and what came is counted on the other side. */
export async function runFaults(options: FaultRunOptions): Promise<FaultFigures> {
  const { flavour } = options
  const postgres = flavour === 'postgres' ? await startPostgres({ settings: ['autovacuum=off'] }) : undefined
  if (postgres) process.env.POSTERN_TEST_POSTGRES = postgres.url
  const folder = await mkdtemp(join(tmpdir(), 'postern-faults-'))
  try {
    await using disk = await mountSmallDisk(DISK_MEGABYTES)
    await using database = await (disk ? databaseIn(flavour, disk.folder) : freshDatabase(flavour))
    await using receiver = await startCountingReceiver(demo.secret)
    await using stack = new AsyncDisposableStack()
    const members: Member[] = []
    for (let n = 0; n < (postgres ? 2 : 1); n += 1) members.push(stack.use(await startMember({ databaseUrl: database.url, folder })))
    const load: Load = { members, receiver, live: receiver.callback('/live', 10), accepted: new Set(), isOver: false }
    await subscribe(members[0]!.origins, load.live.url, LIVE_USER)
    const working = Promise.all([
      ...Array.from({ length: PUBLISHERS }, (_, n) => publishInTurn(load, (n + 1) * 1_000_000_000)),
      ...members.map((member) => changeInTurn(load, member)),
    ])
    const suffered = await Promise.race([suffer(load, options, postgres, disk), working.then(() => [])])
    load.isOver = true
    receiver.changed()
    await working
    const missing = () => load.accepted.difference(new Set(load.live.counts.keys())).size
    await untilCame(load, () => missing() === 0)
    return { faults: suffered, accepted: load.accepted.size, missing: missing(), again: load.live.times.length - load.live.counts.size }
  } finally {
    await postgres?.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
