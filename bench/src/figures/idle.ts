import { setTimeout } from 'node:timers/promises'
import { type Database, type Databases, type Flavour, flavours, nameOf } from '../databases.ts'
import type { Figure, Line } from '../figure.ts'
import { inWords } from '../numbers.ts'
import { startPostern } from '../postern-process.ts'
import { processorMicros, readsAndWrites } from '../process-status.ts'
import { startReceiver } from '../receiver.ts'
import type { Run } from '../run.ts'

const WEBHOOKS = 100
const EVENTS = 10_000
/** PostgreSQL counts a transaction up to 10 s after it has ended. */
const CALM_MS = 12_000

interface Idleness {
  micros: number
  /** Reads and writes of any kind on SQLite, transactions on PostgreSQL. */
  databaseWork: number
}

async function transactionsIn({ url }: Database, databases: Databases): Promise<number> {
  const name = url.split('/').at(-1)
  const [row] = await databases.ask(
    `select (xact_commit + xact_rollback)::int as transactions from pg_stat_database where datname = '${name}'`,
  )
  return row!.transactions as number
}

async function look(flavour: Flavour, { databases, pace }: Run): Promise<Idleness> {
  await using database = await databases.open(flavour)
  await using postern = await startPostern({ database })
  await using receiver = await startReceiver(WEBHOOKS)
  await postern.seed({ count: WEBHOOKS, port: receiver.port })
  await postern.publish(EVENTS, WEBHOOKS)
  await receiver.take(EVENTS)
  const workSoFar = () => (flavour === 'postgres' ? transactionsIn(database, databases) : readsAndWrites(postern.pid))
  const now = async (): Promise<Idleness> => ({ micros: await processorMicros(postern.pid), databaseWork: await workSoFar() })
  await setTimeout(CALM_MS)
  const before = await now()
  await setTimeout(pace.idleMs)
  const after = await now()
  return { micros: after.micros - before.micros, databaseWork: after.databaseWork - before.databaseWork }
}

const workOf: Record<Flavour, string> = { sqlite: 'reads and writes of the process', postgres: 'transactions' }

const linesOf = (flavour: Flavour, seconds: number, { micros, databaseWork }: Idleness): Line[] => [
  {
    what: `Processor time while idle for ${seconds} s, ${nameOf[flavour]}`,
    measured: `${inWords(micros / 1000)} ms`,
    limit: '–',
    aim: 'none',
    isMet: micros === 0,
  },
  {
    what: `Database work while idle for ${seconds} s, ${nameOf[flavour]}`,
    measured: `${inWords(databaseWork)} ${workOf[flavour]}`,
    limit: '–',
    aim: 'none',
    isMet: databaseWork === 0,
  },
]

export const idle: Figure = {
  name: 'idle',
  limit: `A Postern that has delivered ${inWords(EVENTS)} events to ${WEBHOOKS} webhooks and has been left alone for ${CALM_MS / 1000} s; its own processor time, without PostgreSQL's, which the kernel counts in steps of 10 ms. With SQLite every read and write call of the process counts, whatever it was for; with PostgreSQL every transaction in its database, autovacuum being off meanwhile. Looked at once.`,
  async measure(run) {
    const autovacuum = async (state: 'on' | 'off') => {
      await run.databases.ask(`alter system set autovacuum = ${state}`)
      await run.databases.ask('select pg_reload_conf()')
    }
    await autovacuum('off')
    try {
      const looks = flavours.map((flavour) => look(flavour, run))
      await Promise.allSettled(looks)
      const seconds = run.pace.idleMs / 1000
      return (await Promise.all(looks)).flatMap((idleness, place) => linesOf(flavours[place]!, seconds, idleness))
    } finally {
      await autovacuum('on')
    }
  },
}
