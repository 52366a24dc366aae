import { setTimeout as pause } from 'node:timers/promises'
import { messages } from '../demo-client.ts'
import type { PostgresServer } from '../postgres-server.ts'
import type { Room } from '../room.ts'
import type { Member } from './member.ts'

/** Every process serves again within this, from the moment that a fault is over, or began where it does not end by itself. */
export const LONGEST_MS = 30_000

export interface Scene {
  members: readonly Member[]
  random: () => number
  /** The server of the database; none with SQLite. */
  postgres?: PostgresServer
  /** Of the database's files; none where no disk can be mounted. */
  room?: Room
  /** Resolves once these serve; answers after how many milliseconds, or infinity when they do not. */
  untilServing(members: readonly Member[]): Promise<number>
}

/** Does harm, and mends what does not mend by itself. Answers after how many milliseconds all processes served, or how long those did that stood. */
type Fault = (scene: Scene) => Promise<number>

const one = ({ members, random }: Scene) => members[Math.floor(random() * members.length)]!

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

/** What can happen to a Postern, by the database that it is on. */
export const faults: Record<'sqlite' | 'postgres', Record<string, Fault>> = {
  sqlite: { kill, freeze, 'clock step': stepClock, 'full disk': fillDisk },
  postgres: {
    kill,
    freeze,
    'clock step': stepClock,
    'full disk': fillDisk,
    'dead connections': silenceConnections,
    'database restart': restartDatabase,
  },
}
