import { setTimeout } from 'node:timers/promises'
import { nextChallengeAtMs } from '../../../server/src/delivery/challenge-slot.ts'
import type { Benchmark, Row, Run } from '../benchmark.ts'
import { type Database, type Databases, type Engine, engineName, engines } from '../databases.ts'
import { webhookId } from '../delivery/fixtures.ts'
import { startPostern } from '../postern-process.ts'
import { exactCpuMicros, ioOf } from '../process-status.ts'
import { startReceiver } from '../receiver.ts'
import type { RunConfig } from '../run-config.ts'
import { formatNumber } from '../statistics.ts'

/** Only one: each webhook is challenged once an hour, and then Postern is not idle. */
const WEBHOOKS = 1
const EVENTS = 10_000
/** Longer than delivering the events takes. */
const DELIVERED_WITHIN_MS = 60_000
/** Less than a tick of the kernel's CPU accounting counts as none. */
const MIN_MICROS = 10_000
/** Threads wake each other with 8 bytes; a database read or write is at least a page. */
const PAGE_BYTES = 4096

interface Activity {
  cpuMicros: number
  /** Reads and writes of the process, on SQLite; 0 on PostgreSQL. */
  calls: number
  bytes: number
  /** Transactions in the database, on PostgreSQL; 0 on SQLite. */
  transactions: number
}

async function transactionsIn({ url }: Database, databases: Databases): Promise<number> {
  const sum = '(xact_commit + xact_rollback)::int as transactions'
  const [row] = await databases.query(`select ${sum} from pg_stat_database where datname = '${url.split('/').at(-1)}'`)
  return row!.transactions as number
}

async function readActivity(pid: number, database: Database, databases: Databases): Promise<Activity> {
  const onServer = database.databasePid !== undefined
  return {
    cpuMicros: await exactCpuMicros(pid),
    ...(onServer ? { calls: 0, bytes: 0 } : await ioOf(pid)),
    transactions: onServer ? await transactionsIn(database, databases) : 0,
  }
}

/** Waits until the hourly challenge of the webhook is past, if it is due within this time. */
async function passChallenge(withinMs: number) {
  const nowMs = Date.now()
  const dueMs = nextChallengeAtMs(webhookId(0), nowMs) - nowMs
  if (dueMs < withinMs) await setTimeout(dueMs)
}

async function measure(engine: Engine, { databases, config }: Run): Promise<Activity> {
  await using database = await databases.open(engine)
  await using postern = await startPostern({ database })
  await using receiver = await startReceiver(WEBHOOKS)
  await postern.seed({ count: WEBHOOKS, port: receiver.port })
  await passChallenge(DELIVERED_WITHIN_MS + config.settleMs + config.idleMs)
  await postern.publish(EVENTS, WEBHOOKS)
  await receiver.receive(EVENTS)
  await setTimeout(config.settleMs)
  const before = await readActivity(postern.pid, database, databases)
  await setTimeout(config.idleMs)
  const after = await readActivity(postern.pid, database, databases)
  return {
    cpuMicros: after.cpuMicros - before.cpuMicros,
    calls: after.calls - before.calls,
    bytes: after.bytes - before.bytes,
    transactions: after.transactions - before.transactions,
  }
}

function rowsOf(engine: Engine, { cpuMicros, calls, bytes, transactions }: Activity, { settleMs, idleMs }: RunConfig): Row[] {
  const when = `in ${idleMs / 1000} s, from ${settleMs / 1000} s after the last delivery, ${engineName[engine]}`
  const row = (what: string, measured: string, isMet: boolean): Row => ({
    what: `${what} ${when}`,
    measured,
    baseline: '–',
    target: 'none',
    isMet,
  })
  return [
    row('CPU time', `${formatNumber(cpuMicros / 1000)} ms`, cpuMicros < MIN_MICROS),
    engine === 'sqlite'
      ? row('Reads and writes', `${formatNumber(calls)}, ${formatNumber(bytes)} bytes`, bytes < PAGE_BYTES)
      : row('Transactions', formatNumber(transactions), transactions === 0),
  ]
}

export const idle: Benchmark = {
  name: 'idle',
  method: `A Postern that has delivered ${formatNumber(EVENTS)} events to one webhook, between two of its hourly challenges; measured once. CPU time is that of Postern without PostgreSQL; less than ${MIN_MICROS / 1000} ms, a tick of the kernel's accounting, counts as none. With SQLite: every read and write of the process, for whatever purpose. Threads wake each other with 8 bytes, so less than a page in all is not database work. With PostgreSQL: every transaction in its database, with autovacuum off.`,
  async measure(run) {
    const autovacuum = async (change: string) => {
      await run.databases.query(`alter system ${change}`)
      await run.databases.query('select pg_reload_conf()')
    }
    await autovacuum('set autovacuum = off')
    try {
      const measurements = engines.map((engine) => measure(engine, run))
      await Promise.allSettled(measurements)
      return (await Promise.all(measurements)).flatMap((activity, place) => rowsOf(engines[place]!, activity, run.config))
    } finally {
      await autovacuum('reset autovacuum')
    }
  },
}
