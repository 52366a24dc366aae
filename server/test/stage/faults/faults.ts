import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { messages } from '../demo-client.ts'
import type { PostgresServer } from '../postgres-server.ts'
import type { Room } from '../room.ts'
import type { Fleet, Primary } from './fleet.ts'
import type { Source } from './load.ts'
import type { Member } from './member.ts'

const MAIN = resolve(import.meta.dirname, '../../../src/main.js')

/** Every process serves again within this, from the moment that a fault is over, or began where it does not end by itself. */
export const LONGEST_MS = 30_000

export interface Scene {
  members: readonly Member[]
  random: () => number
  /** The server of the database; none with SQLite. */
  postgres?: PostgresServer
  /** Of the database's files; none where no disk can be mounted. */
  room?: Room
  /** Where the processes are a fleet with servers of its own. */
  fleet?: Fleet
  /** Resolves once these serve; answers after how many milliseconds, or infinity when they do not. */
  untilServing(members: readonly Member[]): Promise<number>
  /** Resolves once of what these sources publish from now on something has come everywhere; answers like `untilServing`. */
  untilArriving(isMeant?: (source: Source) => boolean): Promise<number>
}

/** Does harm, and mends what does not mend by itself. Answers after how many milliseconds all processes served, or how long those did that stood. */
type Fault = (scene: Scene) => Promise<number>

const chosen = <One>(all: readonly One[], random: () => number): One => all[Math.floor(random() * all.length)]!

const one = ({ members, random }: Scene) => chosen(members, random)

const kill: Fault = async (scene) => {
  await one(scene).replace()
  return scene.untilServing(scene.members)
}

/** Perhaps inside a transaction. The others serve meanwhile. */
const freeze: Fault = async (scene) => {
  const frozen = one(scene)
  const others = scene.members.filter((member) => member !== frozen)
  frozen.process.child.kill('SIGSTOP')
  const besideMs = await scene.untilServing(others)
  await pause(scene.random() * (others.length > 0 ? 25_000 : 5000))
  frozen.process.child.kill('SIGCONT')
  return Math.max(besideMs, await scene.untilServing(scene.members))
}

/** Of all machines; so that what is due at a date comes due, it is mended. */
const stepClock: Fault = async (scene) => {
  const step = (by: string) => Promise.all(scene.members.map((member) => member.operator('POST', '/operator/clock', { step: by })))
  await step('-1h')
  const servedMs = await scene.untilServing(scene.members)
  await step('1h')
  return Math.max(servedMs, await scene.untilServing(scene.members))
}

const silenceConnections: Fault = async (scene) => {
  one(scene).proxy!.silence()
  return scene.untilServing(scene.members)
}

const restartDatabase: Fault = async (scene) => {
  await scene.postgres!.halt(scene.random() < 0.5 ? 'SIGINT' : 'SIGQUIT')
  // Now and then longer than any lease: nobody who lives is taken for dead for that.
  await pause(scene.random() < 0.2 ? 16_000 : scene.random() * 3000)
  await scene.postgres!.launch()
  return scene.untilServing(scene.members)
}

const fillDisk: Fault = async (scene) => {
  const large = messages('999', 20).map((event) => ({ ...event, payload: { text: 'x'.repeat(100_000) } }))
  await scene.room!.take()
  try {
    for (let n = 0; n < 100; n += 1) if ((await scene.members[0]!.operator('POST', '/operator/events', { events: large })) === 503) break
    await pause(scene.random() * 2000)
  } finally {
    await scene.room!.give()
  }
  return scene.untilServing(scene.members)
}

/** What a fleet has to do again: each process serves, and each producer's events are accepted and arrive. */
async function untilAll({ members, untilServing, untilArriving }: Scene): Promise<number> {
  const [servingMs, arrivingMs] = await Promise.all([untilServing(members), untilArriving()])
  return Math.max(servingMs, arrivingMs)
}

const killOne: Fault = async (scene) => {
  await one(scene).replace()
  return untilAll(scene)
}

/** Longer than a lease, mostly. The others serve meanwhile. */
const freezeOne: Fault = async (scene) => {
  const frozen = one(scene)
  frozen.process.child.kill('SIGSTOP')
  await scene.fleet!.noteHarm()
  const besideMs = await scene.untilServing(scene.members.filter((member) => member !== frozen))
  const arrivingMs = await scene.untilArriving()
  await pause(scene.random() * 10_000)
  frozen.process.child.kill('SIGCONT')
  return Math.max(besideMs, arrivingMs, await untilAll(scene))
}

const primaryOf = ({ fleet, random }: Scene): Primary => chosen([fleet!.state, ...fleet!.logs], random)

/** All connections to a database, or about half of them. */
const someOf = ({ random }: Scene) => {
  const isAll = random() < 0.5
  return () => isAll || random() < 0.5
}

const cutConnections: Fault = async (scene) => {
  primaryOf(scene).proxy.breakSome(someOf(scene))
  await scene.fleet!.noteHarm()
  return untilAll(scene)
}

const silenceFleet: Fault = async (scene) => {
  primaryOf(scene).proxy.silenceSome(someOf(scene))
  await scene.fleet!.noteHarm()
  return untilAll(scene)
}

async function restart({ server }: Primary, { random, fleet }: Scene) {
  await fleet!.noteHarm()
  await server.halt(random() < 0.5 ? 'SIGINT' : 'SIGQUIT')
  await pause(random() * 3000)
  await server.launch()
}

const restartState: Fault = async (scene) => {
  await restart(scene.fleet!.state, scene)
  return untilAll(scene)
}

const restartLog: Fault = async (scene) => {
  await restart(chosen(scene.fleet!.logs, scene.random), scene)
  return untilAll(scene)
}

/** After the first time. */
const AWAY_AGAIN_MS = 10_000

/** A primary of a log is gone, for a long time the first time. What needs no part of it is accepted and arrives meanwhile. */
const loseLog: Fault = async (scene) => {
  const fleet = scene.fleet!
  const log = 1 + Math.floor(scene.random() * fleet.logs.length)
  const unconcerned = new Set<Source>()
  for (const source of fleet.sources) if (!(await fleet.logsOf(source)).has(log)) unconcerned.add(source)
  const { server } = fleet.logs[log - 1]!
  const endsAtMs = performance.now() + fleet.awayMs
  fleet.awayMs = Math.min(fleet.awayMs, AWAY_AGAIN_MS)
  await fleet.noteHarm()
  await server.halt('SIGQUIT')
  let besideMs = 0
  do {
    besideMs = Math.max(besideMs, await scene.untilArriving((source) => unconcerned.has(source)))
    await pause(1000)
  } while (performance.now() < endsAtMs)
  await server.launch()
  return Math.max(besideMs, await untilAll(scene))
}

const FIVE_MINUTES_MS = 300_000

/** Two processes whose clocks are five minutes apart work side by side for a while. */
const setClocksApart: Fault = async (scene) => {
  const { members, random } = scene
  const ahead = chosen(
    members.filter(({ roles }) => roles.includes('delivery')),
    random,
  )
  const aheadMs = random() < 0.5 ? FIVE_MINUTES_MS : -FIVE_MINUTES_MS
  const moved = `const now = Date.now; Date.now = () => now() + ${aheadMs}`
  await ahead.replace({ command: ['--import', `data:text/javascript,${encodeURIComponent(moved)}`, MAIN, '--bundle=use'] })
  const servedMs = await untilAll(scene)
  await scene.untilArriving()
  await ahead.replace()
  return Math.max(servedMs, await untilAll(scene))
}

/** What a process may have otherwise than the others, and what its refusal says. */
const differences = ({ logs }: Fleet): [name: string, value: string, said: RegExp][] => [
  ['POSTERN_RETENTION', '48h', /POSTERN_RETENTION differs from that of the processes that share this database/],
  ['POSTERN_DIALECT', 'x', /POSTERN_DIALECT differs from that of the processes that share this database/],
  ['POSTERN_SECRET', 'another-secret-than-that-of-the-others', /POSTERN_SECRET does not match the secret/],
  ...(logs.length > 1
    ? [['POSTERN_LOG_URLS', logs[0]!.url, /POSTERN_LOG_URLS lacks event log 2 at/] satisfies [string, string, RegExp]]
    : []),
]

/** Each is refused at its start with the name of what differs, and disturbs nobody. */
const startDifferent: Fault = async (scene) => {
  for (const [name, value, said] of differences(scene.fleet!)) {
    const refusal = await scene.fleet!.refusal({ [name]: value })
    if (refusal === undefined || !said.test(refusal)) throw new Error(`a process with another ${name} was not refused: ${refusal}`)
  }
  return untilAll(scene)
}

/** All slots of a log are moved away, a process is killed meanwhile, and the log gets its part again. */
const moveSlots: Fault = async (scene) => {
  const fleet = scene.fleet!
  const log = 1 + Math.floor(scene.random() * fleet.logs.length)
  const [drained] = await Promise.all([fleet.move(log, 'drain'), one(scene).replace()])
  const servedMs = await untilAll(scene)
  if (drained !== 200 && (await fleet.move(log, 'drain')) !== 200) throw new Error(`log ${log} was not drained`)
  await scene.untilArriving()
  if ((await fleet.move(log, 'add')) !== 200) throw new Error(`log ${log} got no slots`)
  return Math.max(servedMs, await untilAll(scene))
}

/** What can happen to a Postern, by what it is on; `fleet` is processes over servers of their own, and what needs several logs comes last. */
export const faults: Record<'sqlite' | 'postgres' | 'fleet' | 'logs', Record<string, Fault>> = {
  sqlite: { kill, freeze, 'clock step': stepClock, 'full disk': fillDisk },
  postgres: {
    kill,
    freeze,
    'clock step': stepClock,
    'full disk': fillDisk,
    'dead connections': silenceConnections,
    'database restart': restartDatabase,
  },
  fleet: {
    'kill -9': killOne,
    'frozen process': freezeOne,
    'cut connections': cutConnections,
    'silent connections': silenceFleet,
    'state restarted': restartState,
    'clocks five minutes apart': setClocksApart,
    'settings that differ': startDifferent,
  },
  logs: {
    'log restarted': restartLog,
    'log gone': loseLog,
    'slots moved, a process killed': moveSlots,
  },
}
