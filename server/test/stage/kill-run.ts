import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Origins } from '../../src/assemble.ts'
import { publicId } from '../../src/lib/ids.ts'
import { rawRows } from '../storage/samples.ts'
import { startCountingReceiver } from './counting-receiver.ts'
import { type Flavour, migratedDatabase } from './database.ts'
import { demo } from './demo-client.ts'
import { came, fillReplayed, type KillLoad, keepReplaying, missingOf, publishUntilGone, type ReplayEnd, replayOf } from './kill-load.ts'
import { PosternProcess } from './postern-process.ts'
import { createRandom } from './random.ts'

/** To one webhook. */
const IN_FLIGHT = 4
/** How many events of a replay are recorded as done at once. */
export const REPLAY_PAGE = 100
/** When nothing came for so long, what is missing is lost. */
const LOST_AFTER_MS = 60_000
/** How much comes, at most, before a process is killed. */
const MOST_BEFORE_KILL = 1000

export interface Kill {
  /** Events that came before this kill, and again after it; and how many were in flight or came and were not recorded yet. */
  duplicates: number
  bound: number
  /** From the line `ready` of the next start to the first POST after it; 0 when one came before. */
  resumedMs: number
}

export interface KillFigures {
  kills: Kill[]
  accepted: number
  delivered: number
  missing: number
  replays: ReplayEnd[]
  /** How many events of replays came more often than replays were asked for. */
  replayDuplicates: number
  /** How many `replay_job_status` events came. */
  statuses: number
}

export interface KillRunOptions {
  flavour: Flavour
  kills: number
  /** How many events each replay delivers again. */
  replayed: number
  seed: number
  /** Told of each kill. */
  progress?: (text: string) => void
}

interface Run extends KillRunOptions, KillLoad {
  random: () => number
  databaseUrl: string
}

/** One life of the process. */
interface Life {
  postern: PosternProcess
  origins: Origins
  startedMs: number
  readyMs: number
}

async function startLife(environment: Record<string, string>, folder: string): Promise<Life> {
  const startedMs = performance.now()
  const postern = new PosternProcess(environment, folder)
  const origins = await postern.ready()
  return { postern, origins, startedMs, readyMs: performance.now() }
}

const RECORDED: Record<Flavour, string> = {
  sqlite: "select sequence from attempt where origin = '' and outcome = 'delivered'",
  postgres: "select sequence from log_attempt where origin = '' and outcome = 'delivered'",
}

/** How many events came of which the log of the killed process does not say so, or are on their way still: these may come twice, and no others. */
async function unrecorded({ flavour, databaseUrl, live }: Run): Promise<number> {
  const rows = await rawRows(flavour === 'sqlite' ? `${databaseUrl}.events` : databaseUrl, RECORDED[flavour])
  const recorded = new Set(rows.map(({ sequence }) => publicId(Number(sequence))))
  return IN_FLIGHT + new Set(live.counts.keys()).difference(recorded).size
}

/** Lets a process work until, at random, so much has come, and kills it. Answers what may come twice. */
async function killAtRandom(run: Run, { postern, origins }: Life): Promise<number> {
  let isGone = false
  const publishing = publishUntilGone(run, origins, () => isGone)
  await keepReplaying(run, origins)
  const enough = came(run) + 1 + Math.floor(run.random() * MOST_BEFORE_KILL)
  await untilCame(run, () => came(run) >= enough)
  await postern.end('SIGKILL')
  isGone = true
  run.receiver.changed()
  await publishing
  return unrecorded(run)
}

/** From ready to the first POST of a life. */
function resumedMs({ live, replay }: Run, { startedMs, readyMs }: Life): number {
  const firsts = [live, replay].map(({ times }) => times[times.findLastIndex((atMs) => atMs < startedMs) + 1] ?? Number.POSITIVE_INFINITY)
  return Math.max(0, Math.min(...firsts) - readyMs)
}

/** Gives up, and lets the figures tell, when before it is so nothing has come for a long time. */
async function untilCame(run: Run, isSo: () => boolean) {
  const stuck = Promise.withResolvers<void>()
  let before = -1
  const watch = setInterval(() => {
    const now = came(run) + run.replay.statuses.length
    if (now === before) stuck.resolve()
    before = now
  }, LOST_AFTER_MS)
  await Promise.race([run.receiver.when(isSo), stuck.promise])
  clearInterval(watch)
}

/** Waits until all is delivered and the last replay has ended. */
async function finish(run: Run, { origins }: Life): Promise<ReplayEnd[]> {
  const { jobs, replay } = run
  await untilCame(run, () => missingOf(run) === 0 && replay.statuses.length >= jobs.length)
  const givenUpAt = performance.now() + LOST_AFTER_MS
  const ends = () => Promise.all(jobs.map((job) => replayOf(origins, job)))
  let found = await ends()
  while (!found.every(({ reported }) => reported) && performance.now() < givenUpAt) found = await ends()
  return found
}

async function work(run: Run, environment: Record<string, string>, folder: string): Promise<KillFigures> {
  const kills: Kill[] = []
  let life = await startLife(environment, folder)
  try {
    await fillReplayed(run, life.origins)
    for (let number = 0; number < run.kills; number += 1) {
      const bound = await killAtRandom(run, life)
      run.receiver.nextLife()
      if (number > 0) kills[number - 1]!.resumedMs = resumedMs(run, life)
      run.progress?.(`kill ${number + 1}: ${run.accepted.size} accepted, ${came(run)} came`)
      life = await startLife(environment, folder)
      kills.push({ duplicates: 0, bound, resumedMs: 0 })
    }
    const replays = await finish(run, life)
    kills.at(-1)!.resumedMs = resumedMs(run, life)
    const wanted = run.replayed * (1 + run.jobs.length)
    return {
      kills: kills.map((kill, number) => ({ ...kill, duplicates: run.live.again[number] ?? 0 })),
      accepted: run.accepted.size,
      delivered: run.live.counts.size,
      missing: missingOf(run),
      replays,
      replayDuplicates: run.replay.times.length - wanted,
      statuses: run.replay.statuses.length,
    }
  } finally {
    await life.postern.end('SIGKILL')
  }
}

/**
 * Kills a process with SIGKILL, again and again, each time when a random number of events has come, while events are accepted over
 * HTTP and a replay runs. What came is counted on the other side.
 */
export async function runKills(options: KillRunOptions): Promise<KillFigures> {
  await using database = await migratedDatabase(options.flavour)
  await using receiver = await startCountingReceiver(demo.secret)
  const folder = await mkdtemp(join(tmpdir(), 'postern-kill-'))
  const environment = {
    POSTERN_DATABASE_URL: database.url,
    POSTERN_RETRY_PLAN: '200ms,200ms,200ms,1s,5s',
    POSTERN_RATE_LIMITS: 'off',
  }
  const run: Run = {
    ...options,
    random: createRandom(options.seed),
    receiver,
    live: receiver.callback('/live', 10),
    replay: receiver.callback('/replay'),
    accepted: new Set(),
    databaseUrl: database.url,
    jobs: [],
    webhookId: '',
    window: { from_date: '', to_date: '' },
  }
  try {
    return await work(run, environment, folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
