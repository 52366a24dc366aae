import { CompiledQuery, type Kysely } from 'kysely'
import { type Client, escapeLiteral } from 'pg'
import { WORKER_LIMIT } from '../../../lib/ids.ts'
import type { Database } from '../schema.ts'

/** The first key of the advisory locks of worker numbers; the second is the number. */
export const LOCK_CLASS = 1_886_352_238

/**
 * Takes the known number, or else the lowest that is free, until this connection ends, and sends the message if there was one. The numbers
 * are tried one after the other, and none after the first that is free.
 */
export const takeWorkerText = (known: number | undefined, channel: string, message: string) => `
  with taken as materialized (
    select worker from generate_series(${known ?? 0}, ${known ?? WORKER_LIMIT - 1}) as worker
    where pg_try_advisory_lock(${LOCK_CLASS}, worker) limit 1
  )
  select worker, pg_notify(${escapeLiteral(channel)}, ${escapeLiteral(message)}) from taken`

export const allTaken = () =>
  new Error(`All ${WORKER_LIMIT} worker numbers are in use: stop another Postern process before starting this one.`)

/**
 * Waits until nobody has a number. It is free again at the end of the statement: a connection that is cut off without a word while it waits
 * would keep it from the process that has it.
 */
export const waitForWorker = (client: Client, worker: number) => client.query('select pg_advisory_xact_lock($1, $2)', [LOCK_CLASS, worker])

/** Releases every number of this connection. */
export const giveBackWorkers = async (client: Client): Promise<void> => void (await client.query('select pg_advisory_unlock_all()'))

export interface TakenNumber {
  worker: number
}

/** The numbers that other connections have taken, with the names of those. */
export const othersText = `
  select objid::int as worker, application_name as name
  from pg_locks left join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and classid = ${LOCK_CLASS} and objsubid = 2 and pid <> pg_backend_pid()
    and pg_locks.database = (select oid from pg_database where datname = current_database())
  order by 1`

/** The taken numbers, ascending: processes with an open session. */
export const livingWorkersText = `
  select objid::int as worker from pg_locks
  where locktype = 'advisory' and granted and classid = ${LOCK_CLASS} and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())
  order by 1`

export async function livingWorkers(db: Kysely<Database>): Promise<number[]> {
  const { rows } = await db.executeQuery<TakenNumber>(CompiledQuery.raw(livingWorkersText))
  return rows.map((row) => row.worker)
}
