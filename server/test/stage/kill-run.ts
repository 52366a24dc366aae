import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Origins } from '../../src/assemble.ts'
import { formatMinute } from '../../src/endpoints/webhooks/replay-window.ts'
import { publicId } from '../../src/lib/ids.ts'
import { rawRows } from '../storage/samples.ts'
import { call } from './call.ts'
import { type CountedCallback, type CountingReceiver, startCountingReceiver } from './counting-receiver.ts'
import { type Flavour, freshDatabase } from './database.ts'
import { demo, demoToken, messages, publish, subscribe } from './demo-client.ts'
import { OPERATOR_TOKEN } from './postern.ts'
import { PosternProcess } from './postern-process.ts'
import { createRandom } from './random.ts'

const MINUTE_MS = 60_000
const LIVE_USER = '101'
const REPLAYED_USER = '102'
const EVENTS_A_REQUEST = 20
const PUBLISHERS = 2
/** What may be accepted and not yet received: enough to park the webhook now and then. */
const MOST_OUTSTANDING = 600
/** To one webhook. */
const IN_FLIGHT = 4
/** How many events of a replay are recorded as done at once. */
export const REPLAY_PAGE = 100
/** When nothing came for so long, what is missing is lost. */
const LOST_AFTER_MS = 20_000
/** How much comes, at most, before a process is killed. */
const MOST_BEFORE_KILL = 1000

export interface Kill {
  /** Events that came before this kill, and again after it; and how many were in flight or came and were not recorded yet. */
  duplicates: number
  bound: number
  /** From the line `ready` of the next start to the first POST after it; 0 when one came before. */
  resumedMs: number
}

export interface ReplayEnd {
  state: string
  delivered: number
  failed: number
  reported: boolean
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

interface Run extends KillRunOptions {
  random: () => number
  receiver: CountingReceiver
  live: CountedCallback
  replay: CountedCallback
  accepted: Set<string>
  databaseUrl: string
  jobs: string[]
  webhookId: string
  window: { from_date: string; to_date: string }
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

const came = ({ live, replay }: Run) => live.times.length + replay.times.length

/** Publishes until the process is gone, and notes every event that was accepted. */
async function publishUntilGone(run: Run, origins: Origins, isGone: () => boolean) {
  const { receiver, live, accepted } = run
  while (!isGone()) {
    await receiver.when(() => isGone() || accepted.size - live.counts.size < MOST_OUTSTANDING)
    const answer = await publish(origins, messages(LIVE_USER, EVENTS_A_REQUEST)).catch(() => undefined)
    if (answer === undefined) return
    assert.equal(answer.status, 202, answer.text)
    for (const { event_uuid } of answer.body.data) accepted.add(event_uuid)
  }
}

const replayState = async ({ operator_url }: Origins, jobId: string): Promise<ReplayEnd> =>
  (await call(`${operator_url}/operator/replays/${jobId}`, 'GET', { token: OPERATOR_TOKEN })).body.data

/** Begins a replay unless one is under way. */
async function keepReplaying(run: Run, origins: Origins) {
  const last = run.jobs.at(-1)
  if (last !== undefined && !(await replayState(origins, last)).reported) return
  const json = { webhook_id: run.webhookId, ...run.window }
  const answer = await call(`${origins.base_url}/2/webhooks/replay`, 'POST', { token: await demoToken(origins), json })
  assert.equal(answer.status, 200, answer.text)
  run.jobs.push(answer.body.job_id)
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
  const publishing = Array.from({ length: PUBLISHERS }, () => publishUntilGone(run, origins, () => isGone))
  await keepReplaying(run, origins)
  const enough = came(run) + 1 + Math.floor(run.random() * MOST_BEFORE_KILL)
  await untilCame(run, () => came(run) >= enough)
  await postern.end('SIGKILL')
  isGone = true
  run.receiver.changed()
  await Promise.all(publishing)
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

const missingOf = ({ accepted, live }: Run) => accepted.difference(new Set(live.counts.keys())).size

/** Fills the webhook to replay, which gets nothing after that but replays. */
async function fill(run: Run, { origins }: Life) {
  const { receiver, replay, live, replayed } = run
  await subscribe(origins, live.url, LIVE_USER)
  run.webhookId = await subscribe(origins, replay.url, REPLAYED_USER)
  const from_date = formatMinute(Date.now())
  for (let left = replayed; left > 0; left -= 1000)
    assert.equal((await publish(origins, messages(REPLAYED_USER, Math.min(left, 1000)))).status, 202)
  await receiver.when(() => replay.counts.size === replayed)
  run.window = { from_date, to_date: formatMinute(Date.now() + MINUTE_MS) }
}

/** Waits until all is delivered and the last replay has ended. */
async function finish(run: Run, { origins }: Life): Promise<ReplayEnd[]> {
  const { jobs, replay } = run
  await untilCame(run, () => missingOf(run) === 0 && replay.statuses.length >= jobs.length)
  const givenUpAt = performance.now() + LOST_AFTER_MS
  const ends = () => Promise.all(jobs.map((job) => replayState(origins, job)))
  let found = await ends()
  while (!found.every(({ reported }) => reported) && performance.now() < givenUpAt) found = await ends()
  return found
}

async function work(run: Run, environment: Record<string, string>, folder: string): Promise<KillFigures> {
  const kills: Kill[] = []
  let life = await startLife(environment, folder)
  try {
    await fill(run, life)
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
  await using database = await freshDatabase(options.flavour)
  await using receiver = await startCountingReceiver(demo.secret)
  const folder = await mkdtemp(join(tmpdir(), 'postern-kill-'))
  const environment = { POSTERN_DATABASE_URL: database.url, POSTERN_RETRY_PLAN: '200ms,200ms,200ms,1s,5s', POSTERN_RATE_LIMITS: 'off' }
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
