import { setTimeout } from 'node:timers/promises'
import { type Database, type Databases, type Flavour, flavours, nameOf } from '../databases.ts'
import type { Figure, Line } from '../figure.ts'
import { inWords } from '../numbers.ts'
import type { Pace } from '../pace.ts'
import { startPostern } from '../postern-process.ts'
import { exactMicros, readAndWritten } from '../process-status.ts'
import { startReceiver } from '../receiver.ts'
import type { Run } from '../run.ts'

/** One only: each is challenged once an hour, which is no idleness. */
const WEBHOOKS = 1
const EVENTS = 10_000
/** Less than the kernel's step in counting processor time is none. */
const LEAST_MICROS = 10_000
/** Wake-ups among threads are 8 bytes each; whoever reads or writes a database moves at least a page. */
const PAGE_BYTES = 4096

interface Idleness {
  micros: number
  /** On SQLite, of the process; on PostgreSQL nothing. */
  calls: number
  bytes: number
  /** On PostgreSQL, in its database; on SQLite none. */
  transactions: number
}

async function transactionsIn({ url }: Database, databases: Databases): Promise<number> {
  const sum = '(xact_commit + xact_rollback)::int as transactions'
  const [row] = await databases.ask(`select ${sum} from pg_stat_database where datname = '${url.split('/').at(-1)}'`)
  return row!.transactions as number
}

async function soFar(pid: number, database: Database, databases: Databases): Promise<Idleness> {
  const onServer = database.serverPid !== undefined
  return {
    micros: await exactMicros(pid),
    ...(onServer ? { calls: 0, bytes: 0 } : await readAndWritten(pid)),
    transactions: onServer ? await transactionsIn(database, databases) : 0,
  }
}

async function look(flavour: Flavour, { databases, pace }: Run): Promise<Idleness> {
  await using database = await databases.open(flavour)
  await using postern = await startPostern({ database })
  await using receiver = await startReceiver(WEBHOOKS)
  await postern.seed({ count: WEBHOOKS, port: receiver.port })
  await postern.publish(EVENTS, WEBHOOKS)
  await receiver.take(EVENTS)
  await setTimeout(pace.calmMs)
  const before = await soFar(postern.pid, database, databases)
  await setTimeout(pace.idleMs)
  const after = await soFar(postern.pid, database, databases)
  return {
    micros: after.micros - before.micros,
    calls: after.calls - before.calls,
    bytes: after.bytes - before.bytes,
    transactions: after.transactions - before.transactions,
  }
}

function linesOf(flavour: Flavour, { micros, calls, bytes, transactions }: Idleness, { calmMs, idleMs }: Pace): Line[] {
  const when = `in ${idleMs / 1000} s that begin ${calmMs / 1000} s after the last delivery, ${nameOf[flavour]}`
  const line = (what: string, measured: string, isMet: boolean): Line => ({
    what: `${what} ${when}`,
    measured,
    limit: '–',
    aim: 'none',
    isMet,
  })
  return [
    line('Processor time', `${inWords(micros / 1000)} ms`, micros < LEAST_MICROS),
    flavour === 'sqlite'
      ? line('Reads and writes', `${inWords(calls)}, ${inWords(bytes)} bytes`, bytes < PAGE_BYTES)
      : line('Transactions', inWords(transactions), transactions === 0),
  ]
}

export const idle: Figure = {
  name: 'idle',
  limit: `A Postern that has delivered ${inWords(EVENTS)} events to one webhook, whose hourly challenge is not likely to fall into the time; looked at once. Its own processor time, without PostgreSQL's; less than ${LEAST_MICROS / 1000} ms, the kernel's step, is none. With SQLite every read and write of the process, whatever it was for: threads wake each other with 8 bytes, and less than a page in all is no work of the database. With PostgreSQL every transaction in its database, autovacuum being off meanwhile.`,
  async measure(run) {
    const autovacuum = async (change: string) => {
      await run.databases.ask(`alter system ${change}`)
      await run.databases.ask('select pg_reload_conf()')
    }
    await autovacuum('set autovacuum = off')
    try {
      const looks = flavours.map((flavour) => look(flavour, run))
      await Promise.allSettled(looks)
      return (await Promise.all(looks)).flatMap((idleness, place) => linesOf(flavours[place]!, idleness, run.pace))
    } finally {
      await autovacuum('reset autovacuum')
    }
  },
}
