import type { Benchmark, Row, Run } from '../benchmark.ts'
import { type Engine, engineName, engines } from '../databases.ts'
import type { LiveAppends } from '../growth/aging-log.ts'
import { openFilledLog } from '../growth/fill-log.ts'
import { measureMemory } from '../growth/measure-memory.ts'
import { LIVE_RATE, measureReplay } from '../growth/measure-replay.ts'
import { measureSeeding } from '../growth/measure-seeding.ts'
import type { RoundArgument, RoundMinute } from '../growth/round.ts'
import { formatNumber, median } from '../statistics.ts'
import { startWorker, type Worker } from '../worker.ts'

const MAX_P99_RATIO = 2
/** Collections of garbage come at different times. */
const MAX_MEMORY_RATIO = 1.2
const MAX_ROUND_RATIO = 1.5
/** Trimming takes as little as it can for half an hour, so it is not always waited for. */
const MAX_TRIM_SAMPLES = 50
const MAX_SEEDING_RATIO = 1.5
const MINUTES = 60
const LOG_WEBHOOKS = 1000
/** By then the caches are full. */
const WARM_EVENTS = 20_000

/** A row whose target is a maximum of the ratio. */
const atMost = (row: Omit<Row, 'target' | 'isMet'> & { ratio: number }, max: number): Row => ({
  ...row,
  target: `ratio ≤ ${max}`,
  isMet: row.ratio <= max,
})

const ms = (value: number) => `${formatNumber(value)} ms`
const mb = (value: number) => `${formatNumber(value)} MB`

async function replayRows(engine: Engine, run: Run): Promise<Row[]> {
  const { aloneP99Ms, besideP99Ms, firstMb, mostMb, perSecond } = await measureReplay(engine, run)
  const replay = `a replay of ${formatNumber(run.config.rows)} deliveries, ${engineName[engine]}`
  return [
    atMost(
      {
        what: `p99 of ${LIVE_RATE.perSecond} live events/s from sending to receipt, beside ${replay}`,
        measured: `${ms(besideP99Ms)}, ${formatNumber(perSecond)} replayed/s`,
        baseline: `${ms(aloneP99Ms)} without a replay`,
        ratio: besideP99Ms / aloneP99Ms,
      },
      MAX_P99_RATIO,
    ),
    atMost(
      {
        what: `Resident memory, the most during ${replay}`,
        measured: mb(mostMb),
        baseline: `${mb(firstMb)} after a tenth`,
        ratio: mostMb / firstMb,
      },
      MAX_MEMORY_RATIO,
    ),
  ]
}

async function trimRow(engine: Engine, { config, databases }: Run): Promise<Row> {
  await using database = await databases.open(engine)
  await using log = await openFilledLog(database, { webhooks: LOG_WEBHOOKS, deliveries: config.rows })
  await log.call({ expire: true })
  await log.call({ ms: config.warmUpMs, trims: false })
  const sample = (trims: boolean) => log.call({ ms: config.steadyMs, trims })
  const alone: LiveAppends[] = []
  while (alone.length < config.samples) alone.push(await sample(false))
  const beside: LiveAppends[] = []
  while (beside.length < MAX_TRIM_SAMPLES && !beside.at(-1)?.isTrimmed) beside.push(await sample(true))
  const p99Of = (samples: LiveAppends[]) => median(samples.map(({ p99Ms }) => p99Ms))
  const shown = (samples: LiveAppends[]) => {
    const most = (of: (sample: LiveAppends) => number) => ms(Math.max(...samples.map(of)))
    return `${ms(p99Of(samples))}, longest ${most(({ longestMs }) => longestMs)}, event loop stalled ${most(({ longestStallMs }) => longestStallMs)}`
  }
  const end = `${beside.at(-1)?.isTrimmed ? 'all' : 'not all'} within ${formatNumber((beside.length * config.steadyMs) / 1000)} s`
  const row = {
    what: `p99 of live appends while ${formatNumber(config.rows)} expired deliveries are trimmed, ${engineName[engine]}`,
    measured: `${shown(beside)}; ${end}`,
    baseline: shown(alone),
    ratio: p99Of(beside) / p99Of(alone),
  }
  return atMost(row, MAX_P99_RATIO)
}

async function roundRow(engine: Engine, { config, databases }: Run): Promise<Row> {
  await using database = await databases.open(engine)
  const { url, databasePid } = database
  const argument: RoundArgument = { url, databasePid, webhooks: config.rows / 10 }
  await using worker: Worker<object, RoundMinute> = await startWorker('round.ts', argument)
  const minutes: RoundMinute[] = []
  while (minutes.length < MINUTES) minutes.push(await worker.call({}))
  const sumOf = (of: (minute: RoundMinute) => number) => minutes.reduce((sum, minute) => sum + of(minute), 0)
  const [challenges, most] = [sumOf((minute) => minute.challenges), Math.max(...minutes.map((minute) => minute.challenges))]
  const mean = challenges / MINUTES
  const row = {
    what: `Challenges in the busiest minute of the hourly round of ${formatNumber(argument.webhooks)} webhooks, ${engineName[engine]}`,
    measured: `${formatNumber(most)}; ${mb(minutes[0]!.mb)} after the first minute, ${mb(minutes.at(-1)!.mb)} after the last`,
    baseline: `${formatNumber(mean)} in an average minute`,
    ratio: most / mean,
    cpu: `${formatNumber(sumOf(({ cpuMicros }) => cpuMicros) / challenges)} µs`,
  }
  return atMost(row, MAX_ROUND_RATIO)
}

async function seedingRow(engine: Engine, run: Run): Promise<Row> {
  const few = Math.max(250, run.config.rows / 1000)
  const small = await measureSeeding(engine, few, run)
  const large = await measureSeeding(engine, few * 4, run)
  const row = {
    what: `Seeding ${formatNumber(large.count)} webhooks with subscriptions, CPU per webhook, ${engineName[engine]}`,
    measured: `${formatNumber(large.cpuMicrosPerWebhook)} µs, in all ${ms(large.ms)}`,
    baseline: `${formatNumber(small.cpuMicrosPerWebhook)} µs, in all ${ms(small.ms)} for ${formatNumber(small.count)}`,
    ratio: large.cpuMicrosPerWebhook / small.cpuMicrosPerWebhook,
  }
  return atMost(row, MAX_SEEDING_RATIO)
}

async function memoryRow(engine: Engine, run: Run): Promise<Row> {
  const many = WARM_EVENTS + run.config.rows / 5
  const [warm = 0, later = 0] = await measureMemory(engine, [WARM_EVENTS, many], run)
  const row = {
    what: `Resident memory, ${formatNumber(many)} events delivered, ${engineName[engine]}`,
    measured: mb(later),
    baseline: `${mb(warm)} after ${formatNumber(WARM_EVENTS)}`,
    ratio: later / warm,
  }
  return atMost(row, MAX_MEMORY_RATIO)
}

const rowsOf = async (engine: Engine, run: Run): Promise<Row[]> => [
  ...(await replayRows(engine, run)),
  await trimRow(engine, run),
  await roundRow(engine, run),
  await seedingRow(engine, run),
  await memoryRow(engine, run),
]

export const growth: Benchmark = {
  name: 'growth',
  method: `What grows with the age of an installation. Replay: deliveries of one webhook that were never sent, while an open loop publishes live events for ${formatNumber(1000)} webhooks; p99 over the first half minute, the median of samples; memory every second until the end. Trimming: Postern's own modules append and acknowledge 10 events every 10 ms, without and beside the trimming of everything that was there, at Postern's pace; from the call to the commit, the median of samples of some seconds. Hourly round: the round over its own database, whose clock is moved by a minute at a time; challenges pass at once, and write what a passed one writes. Seeding: one request to a fresh Postern with the command of \`npm start\`. Memory: as in \`memory\`, in requests of 500 events.`,
  async measure(run) {
    const rows: Row[] = []
    for (const engine of engines) rows.push(...(await rowsOf(engine, run)))
    return rows
  },
}
