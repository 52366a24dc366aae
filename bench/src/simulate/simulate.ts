// A day of Postern by a clock that is moved by hand: the modules that publish, append, send, retry and challenge, wired as in assemble.ts, on
// real databases; callbacks that take no time but the clock's; no HTTP server.
import { type Challenger, createChallenger } from '../../../server/src/delivery/challenge/challenger.ts'
import type { Dispatcher } from '../../../server/src/delivery/dispatcher.ts'
import { createHourlyRound } from '../../../server/src/delivery/hourly-round.ts'
import { createRevalidate } from '../../../server/src/delivery/revalidate.ts'
import { createSignedPost, type SignedPost } from '../../../server/src/delivery/signed-request.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../server/src/lib/time.ts'
import { settingsTable } from '../../../server/src/settings/setting-table.ts'
import { rawRows } from '../../../server/test/storage/samples.ts'
import { residentMb } from '../process-status.ts'
import { assembleSending } from '../sending.ts'
import { type ArrivalFigures, type Arrivals, createArrivals } from './arrivals.ts'
import { type Callbacks, createCallbacks } from './callbacks.ts'
import { createProducer } from './producer.ts'
import type { Server } from './servers.ts'
import { asks, type Cpu, type Stage, setStage } from './stage.ts'

export interface SimulationOptions {
  webhooks: number
  hours: number
  eventsPerSecond: number
  /** Events in one call that publishes. */
  batch: number
  logs: number
  /** How long the hourly round is simulated before the day begins. */
  roundMinutes: number
  seed: number
  /** Told how far it is. */
  progress?(line: string): void
}

export interface SimulationFigures extends ArrivalFigures {
  round: { challenges: number; passed: number; cpu: Cpu; stateWalMb: number }
  attempts: number
  failedAttempts: number
  retries: number
  givenUp: number
  /** Calls that were refused while a log was lost, and the most events that their producer kept for a repetition. */
  refusedCalls: number
  mostKeptByProducer: number
  /** In the process: deliveries in flight, and those that wait. */
  mostInFlight: number
  mostWaiting: number
  /** Open deliveries in the logs: of all webhooks, and of one. */
  mostOpen: number
  mostOpenOfOne: number
  /** When the last delivery arrived after the last event, in hours. */
  drainHours: number
  peakResidentMb: number
  cpu: Cpu
  stateMb: number
  logMb: number
  logWalMb: number
  tookSeconds: number
}

const MB = 2 ** 20
const OUTAGE_MS = HOUR_MS
const LOST_MS = 10 * MINUTE_MS
/** When the outage begins, and when the log is lost, as a part of the day. */
const OUTAGE_AT = 0.25
const LOST_AT = 0.6
const LOOK_EVERY_MS = 10 * MINUTE_MS
/** All retries of the plan end within this time. */
const DRAIN_MS = 12 * HOUR_MS

const { retryPlanMs: plan } = settingsTable
const retryPlanMs = plan.read(plan.fallback('production')!)
const CALLBACK_TIMEOUT_MS = settingsTable.callbackTimeoutMs.read(settingsTable.callbackTimeoutMs.fallback('production')!)
const SIGNATURE_HEADER = 'x-service-webhooks-signature'

/** The most deliveries that are open in the logs, and of one webhook. */
async function countOpen(logs: readonly Server[]) {
  const counted = 'select count(*) as n from log_open group by webhook_id'
  const query = `select coalesce(sum(n), 0)::int as all, coalesce(max(n), 0)::int as most from (${counted}) by_webhook`
  const found = (await Promise.all(logs.map(({ url }) => rawRows(url, query)))) as unknown as [{ all: number; most: number }][]
  return {
    all: found.reduce((sum, [{ all }]) => sum + all, 0),
    most: Math.max(...found.map(([{ most }]) => most)),
  }
}

/** Has the hourly round challenge webhooks, while nothing else happens. */
async function simulateRound({ clock, storage, logger, state, run, watchCpu }: Stage, sender: Callbacks, minutes: number) {
  const challenger = createChallenger({ sender, clock, headerName: SIGNATURE_HEADER, hideRestricted: true })
  let challenges = 0
  let passed = 0
  const counting: Challenger = {
    async challenge(callback) {
      const result = await challenger.challenge(callback)
      challenges += 1
      if (result.passed) passed += 1
      return result
    },
  }
  const revalidate = createRevalidate(storage.webhooks, storage.apps, counting, clock, logger)
  const round = createHourlyRound(storage.webhooks, storage.changes, revalidate, clock, logger)
  const walBefore = await state.walBytes()
  const cpu = await watchCpu()
  const starting = round.start()
  await run(clock.elapsed() + minutes * MINUTE_MS)
  await starting
  const stopping = round.stop()
  await run(clock.elapsed() + MINUTE_MS)
  await stopping
  return { challenges, passed, cpu: await cpu(), stateWalMb: ((await state.walBytes()) - walBefore) / MB }
}

/** What publishes and what sends, with callbacks that tell what arrives. */
function assemble({ clock, storage, eventLog: log, world, logger }: Stage, sender: Callbacks, arrivals: Arrivals) {
  const counts = { attempts: 0, failedAttempts: 0, retries: 0, givenUp: 0 }
  const signedPost = createSignedPost({ sender, timeoutMs: CALLBACK_TIMEOUT_MS, signatureHeader: SIGNATURE_HEADER })
  const post: SignedPost = async (destination, body, event) => {
    const outcome = await signedPost(destination, body)
    if (outcome.kind === 'answered' && outcome.status === 200)
      arrivals.arrived(event!.eventUuid, world.placeOf(destination.webhookId), clock.now(), event!.attempts === 0)
    return outcome
  }
  const sending = assembleSending({
    storage,
    log,
    clock,
    logger,
    post,
    retryPlanMs,
    attempted(attempt, kind, isLast) {
      counts.attempts += 1
      if (attempt.outcome === 'failed') counts.failedAttempts += 1
      if (kind === 'retry') counts.retries += 1
      if (isLast && attempt.outcome !== 'delivered') counts.givenUp += 1
    },
  })
  return { ...sending, counts }
}

/** The callbacks' outage, and the loss of the last log. */
function planFaults({ clock, statements, logs }: Stage, dayMs: number, failed: (error: unknown) => void) {
  const faults = { isOut: false, isLost: false }
  const lost = logs.at(-1)!
  clock.after(dayMs * OUTAGE_AT, () => {
    faults.isOut = true
    clock.after(OUTAGE_MS, () => (faults.isOut = false))
  })
  clock.after(dayMs * LOST_AT, () => {
    faults.isLost = true
    statements.during(lost.halt()).catch(failed)
    clock.after(LOST_MS, () => {
      const launching = lost.launch().then(() => (faults.isLost = false))
      statements.during(launching).catch(failed)
    })
  })
  return faults
}

interface Watched {
  dispatcher: Dispatcher
  faults: { isLost: boolean }
  arrivals: Arrivals
  progress(line: string): void
  failed(error: unknown): void
}

/** Looks at the queues in memory every second, and at those in the logs every ten minutes. */
function watchQueues({ clock, statements, logs }: Stage, { dispatcher, faults, arrivals, progress, failed }: Watched) {
  const beganMs = clock.elapsed()
  const most = { mostInFlight: 0, mostWaiting: 0, mostOpen: 0, mostOpenOfOne: 0, peakResidentMb: 0 }
  const raise = (name: keyof typeof most, to: number) => {
    most[name] = Math.max(most[name], to)
  }
  const lookAtLogs = async () => {
    raise('peakResidentMb', await residentMb(process.pid))
    if (faults.isLost) return
    const { all, most: one } = await countOpen(logs)
    raise('mostOpen', all)
    raise('mostOpenOfOne', one)
    const { events, arrived } = arrivals.figures()
    progress(`${((clock.elapsed() - beganMs) / HOUR_MS).toFixed(1)} h: ${events} events, ${arrived} arrived, ${all} open`)
  }
  const everySecond = () => {
    clock.after(SECOND_MS, everySecond)
    const { inFlight, waiting } = dispatcher.backlog()
    raise('mostInFlight', inFlight)
    raise('mostWaiting', waiting.live + waiting.retry)
  }
  const everyTenMinutes = () => {
    clock.after(LOOK_EVERY_MS, everyTenMinutes)
    statements.during(lookAtLogs()).catch(failed)
  }
  everySecond()
  everyTenMinutes()
  return most
}

async function simulateDay(stage: Stage, sender: Callbacks, faultsOf: (faults: { isOut: boolean }) => void, options: SimulationOptions) {
  const { clock, run, world, watchCpu } = stage
  const { hours, batch, eventsPerSecond, progress = () => {} } = options
  let failure: unknown
  const failed = (error: unknown) => {
    failure ??= error
  }
  const hasFailed = () => failure !== undefined
  const dayMs = hours * HOUR_MS
  const endMs = clock.elapsed() + dayMs
  const arrivals = createArrivals(world)
  const { publisher, dispatcher, counts } = assemble(stage, sender, arrivals)
  const producer = createProducer({ publisher, arrivals, clock, batch, eventsPerSecond, failed })
  const faults = planFaults(stage, dayMs, failed)
  faultsOf(faults)
  const most = watchQueues(stage, { dispatcher, faults, arrivals, progress, failed })
  const cpu = await watchCpu()
  producer.start(endMs)
  await run(endMs, hasFailed)
  await run(endMs + DRAIN_MS, () => hasFailed() || (producer.isIdle() && arrivals.isComplete()))
  const drainHours = (clock.elapsed() - endMs) / HOUR_MS
  const stopping = dispatcher.stop()
  await run(clock.elapsed() + MINUTE_MS)
  await stopping
  if (hasFailed()) throw failure
  return { ...arrivals.figures(), ...counts, ...producer.figures(), ...most, drainHours, cpu: await cpu() }
}

/** Makes the simulated day. Everything that it starts has ended when it resolves. */
export async function simulate(options: SimulationOptions): Promise<SimulationFigures> {
  const { roundMinutes, progress = () => {} } = options
  const startedMs = performance.now()
  await using stack = new AsyncDisposableStack()
  progress('fills the state')
  const stage = await setStage(stack, options)
  const { clock, random, state, logs } = stage
  let faults = { isOut: false }
  const sender = createCallbacks({ clock, random, isOut: () => faults.isOut })
  progress(`challenges webhooks for ${roundMinutes} minutes`)
  const round = await simulateRound(stage, sender, roundMinutes)
  const day = await simulateDay(stage, sender, (planned) => (faults = planned), options)
  return {
    ...day,
    round,
    stateMb: (await state.bytes()) / MB,
    logMb: (await asks(logs, (log) => log.bytes())) / MB,
    logWalMb: (await asks(logs, (log) => log.walBytes())) / MB,
    tookSeconds: (performance.now() - startedMs) / SECOND_MS,
  }
}
