import { CompiledQuery, type Kysely } from 'kysely'
import type { Client } from 'pg'
import { WORKER_LIMIT } from '../../../lib/ids.ts'
import type { Database } from '../schema.ts'

/** The first key of the advisory locks of worker numbers; the second is the number. */
export const LOCK_CLASS = 1_886_352_238

/** Takes a number if it is free, until this connection ends. Returns whether it was free. */
export async function takeWorker(client: Client, worker: number): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1, $2) as taken', [LOCK_CLASS, worker])
  return rows[0].taken
}

/** Takes the lowest free number. Throws if there is none. */
export async function takeLowestWorker(client: Client): Promise<number> {
  for (let worker = 0; worker < WORKER_LIMIT; worker++) if (await takeWorker(client, worker)) return worker
  throw new Error(`All ${WORKER_LIMIT} worker numbers are in use: stop another Postern process before starting this one.`)
}

/** Waits for a number. This connection has it once the promise resolves. */
export const waitForWorker = (client: Client, worker: number) => client.query('select pg_advisory_lock($1, $2)', [LOCK_CLASS, worker])

/** Releases every number of this connection. */
export const giveBackWorkers = async (client: Client): Promise<void> => void (await client.query('select pg_advisory_unlock_all()'))

export interface TakenNumber {
  worker: number
  /** Whether this connection has it. */
  isMine: boolean
}

/** The taken numbers, ascending: processes with an open session. */
export const livingWorkersText = `
  select objid::int as worker, pid = pg_backend_pid() as "isMine" from pg_locks
  where locktype = 'advisory' and granted and classid = ${LOCK_CLASS} and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())
  order by 1`

export async function livingWorkers(db: Kysely<Database>): Promise<number[]> {
  const { rows } = await db.executeQuery<TakenNumber>(CompiledQuery.raw(livingWorkersText))
  return rows.map((row) => row.worker)
}
