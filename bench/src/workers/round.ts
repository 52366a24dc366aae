// The hourly round over many webhooks, a minute at each request. Challenges pass at once: they write what a passed one writes, and send nothing.
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { pino } from 'pino'
import { nextChallengeAtMs } from '../../../server/src/delivery/challenge-slot.ts'
import { createHourlyRound } from '../../../server/src/delivery/hourly-round.ts'
import { createClock } from '../../../server/src/lib/clock.ts'
import { createSeal } from '../../../server/src/lib/seal.ts'
import { openStorage } from '../../../server/src/storage/sql/open-storage.ts'
import { anApp, rawRows } from '../../../server/test/storage/samples.ts'
import type { RoundArgument, RoundMinute } from '../growth/round.ts'
import { BENCH_SECRET } from '../postern-process.ts'
import { residentMb } from '../process-status.ts'
import { stopwatchWithDatabase } from '../stopwatch.ts'
import { readArgument, serve } from './serve.ts'

const MINUTE_MS = 60_000
const ROWS_PER_INSERT = 1000
const CHECK_MS = 10

// As the server has it.
setFlagsFromString('--heap-growing-percent=50')

const { url, databasePid, webhooks: count } = readArgument<RoundArgument>()
const clock = createClock()
const open = () => openStorage({ url, clock, seal: createSeal([BENCH_SECRET]), recordTypes: [] })

const rowOf = (place: number) => {
  const id = String(5_000_000 + place)
  return `('${id}', '1', 'https://example.com/${place}', 'https://example.com/${place}', true, 1, ${nextChallengeAtMs(id, clock.now())}, 1)`
}

async function fill() {
  const storage = await open()
  await storage.apps.insert(anApp())
  await storage.close()
  for (let at = 0; at < count; at += ROWS_PER_INSERT) {
    const rows = Array.from({ length: Math.min(ROWS_PER_INSERT, count - at) }, (_, place) => rowOf(at + place))
    const columns = 'id, app_id, url, normal_url, valid, created_at_ms, next_challenge_at_ms, proven_secret_version'
    await rawRows(url, `insert into webhooks (${columns}) values ${rows.join(', ')}`)
  }
}

await fill()
const storage = await open()
const { webhooks, changes } = storage
let begun = 0
let running = 0
const challenge = async (id: string) => {
  begun += 1
  running += 1
  await webhooks.beginChallenge(id)
  await webhooks.postpone(id, nextChallengeAtMs(id, clock.now()), { atMs: clock.now() })
  running -= 1
  return { passed: true as const, secret: 0 }
}
const round = createHourlyRound(webhooks, changes, challenge, clock, pino({ level: 'silent' }))
await round.start()

/** Waits until every challenge that is due has ended. */
async function untilChallenged() {
  while (running > 0 || ((await webhooks.nextDueMs()) ?? Number.POSITIVE_INFINITY) <= clock.now()) await setTimeout(CHECK_MS)
}

async function minute(): Promise<RoundMinute> {
  const before = begun
  const watch = await stopwatchWithDatabase(databasePid)
  clock.advance(MINUTE_MS)
  await untilChallenged()
  const { cpuMicros } = await watch()
  return { challenges: begun - before, cpuMicros, mb: await residentMb(process.pid) }
}

serve(minute, async () => {
  await round.stop()
  await storage.close()
})
