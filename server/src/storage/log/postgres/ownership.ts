import type { Pool, QueryResult } from 'pg'
import type { Clock } from '../../../lib/clock.ts'
import { sequenceAt, WORKER_OF_SEQUENCE } from '../../../lib/ids.ts'
import type { TakeOverListener } from '../../event-log.ts'
import type { StorageLog } from '../../storage-log.ts'
import { Unavailable } from '../../unavailable.ts'
import { LEASE_MS } from '../../work-lease.ts'
import { warnOfDatesAhead } from '../dates-ahead.ts'

/** SQLSTATE of the division in `alive` when the registration does not exist. */
const DIVISION_BY_ZERO = '22012'
const LOCK_NOT_AVAILABLE = '55P03'
const MAX_LOCKED_MS = 30_000

/** Another process deleted this one's registration, because this one was frozen or cut off. Nothing was written. It has registered again. */
export class OwnershipLost extends Unavailable {
  constructor(cause?: unknown) {
    super('Another process took over the work of this one. Nothing was changed; retry in a moment.', { cause })
  }
}

/**
 * A fence: every statement that assigns deliveries to an owner begins with it. The statement fails unless the owner in that parameter is
 * registered, and locks the registration until it has committed. Refer to it as `(select fence from alive) = 1`.
 */
export const alive = (parameter: string, condition = '') => `alive as materialized (
    select 1 / count(*)::int as fence from (select 1 from log_owner where id = ${parameter}${condition} for share) registration
  )`

/** The same, unless the registration has another version by now. */
export const aliveSince = (parameter: string, version: string) => alive(parameter, ` and xmin = ${version}::xid`)

const proof = `with ${alive('$1')} select fence from alive`

/**
 * There is one registration for each worker number. Once the former registration can write nothing any more, the newest number is read that has
 * this worker number and lies ahead of the clock: a former process with a clock that was ahead made it, and no number is used twice. Those of
 * other workers are none of this one's, or one wrong clock would date the events of all.
 */
const registration = (worker: number, nowMs: number) => `
  insert into log_owner (worker) values (${worker}) on conflict (worker) do update set id = default returning id, xmin::text as version;
  select coalesce(max(sequence), 0) as newest from log_event where sequence >= ${sequenceAt(nowMs)} and ${WORKER_OF_SEQUENCE} = ${worker}`

/** Waits for the statements that have locked the registration. Its row has another version then. */
const supersede = 'update log_owner set worker = worker where id = $1 returning xmin::text as version'

/** The registrations, each with the newest number that any has had. */
const registrations = 'select id, worker, last_value as newest from log_owner cross join log_owner_id_seq order by id'

/** Whether deliveries wait for an owner. */
const ARE_WAITING = 'exists (select 1 from log_open where owner is null and due_ms is null) as "areWaiting"'

const ORPHANED = 'owner is not null and not exists (select 1 from log_owner where id = o.owner)'

/**
 * The registrations while none is being made: one that is not committed has its number already. Then whether deliveries belong to none, for
 * which all of log_open is read.
 */
const survey = `
  begin; lock table log_owner in share mode; ${registrations}; commit;
  select exists (select 1 from log_open o where ${ORPHANED}) as "areOrphaned", ${ARE_WAITING}`

interface Owner {
  id: number
  worker: number
  newest: number
}

/** Whether deliveries belong to no registration, or wait for one. */
interface Survey {
  areOrphaned: boolean
  areWaiting: boolean
}

/** The same for as long as no registration appears or vanishes. */
const keyOf = (owners: readonly Owner[]) => owners.map(({ id, newest }) => `${id}/${newest}`).join()

/** The version is that of its row (`xmin`). */
interface Registration {
  id: number
  version: string
}

const TAKEN_OVER = 'a process ended without a shutdown, was frozen or was cut off: its deliveries are taken over'

/** Clears the owner of every delivery whose registration no longer exists. */
const release = `update log_open o set owner = null where ${ORPHANED}`

interface OwnershipOptions {
  /** Used at the start, at the end and when another process has died. */
  pool: Pool
  /** Used in between: all connections of `pool` may wait for this registration. */
  ownerPool: Pool
  clock: Clock
  worker: number
  log?: StorageLog | undefined
  /** Identifies the session that holds the worker number. Undefined while it is lost. */
  session(): number | undefined
  /** Throws while another process may have the number. */
  assertWorker(): Promise<void> | void
  /**
   * Called after each registration, before anything is written with it, with the newest sequence number of this worker that lies ahead.
   * Earlier registrations can write nothing any more.
   */
  registered(newest: number): void
  /**
   * Called when this process was deregistered and has registered again, before anything is written with the new registration: its
   * deliveries are unowned, or will be soon.
   */
  ownershipLost(): void
  /** Called once what dead processes held is released. */
  tookOver: TakeOverListener
}

/** A statement of a killed process may still lock the registration. */
async function retryLocked<T>(clock: Clock, step: () => Promise<T>): Promise<T> {
  const deadlineMs = clock.monotonic() + MAX_LOCKED_MS
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE || clock.monotonic() > deadlineMs) throw error
    }
  }
}

/** Deliveries belong to no registration once theirs has vanished: with the same ones as before that is not looked for. */
function createSurvey(pool: Pool): (owners: readonly Owner[]) => Promise<Survey> {
  /** The registrations when no delivery belonged to a former one. */
  let surveyed: string | undefined
  return async (owners) => {
    if (keyOf(owners) === surveyed) return { areOrphaned: false, ...(await pool.query(`select ${ARE_WAITING}`)).rows[0] }
    const results = (await pool.query(survey)) as unknown as QueryResult[]
    const settled: Owner[] = results[2]!.rows
    const found: Survey = results[4]!.rows[0]
    // Without a registration the newest number is unknown.
    if (!found.areOrphaned) surveyed = settled.length > 0 ? keyOf(settled) : undefined
    return found
  }
}

/**
 * The registration of this process as an owner of deliveries. A dead process may have had the same worker number, and one of its
 * statements may still run. So each start registers again, and deliveries belong to the registration, not to the number.
 *
 *   registered → deregistered: by a process that considers this one dead, or by the next one with the same number. It waits for running
 *                statements; later ones fail. Then the deliveries become unowned.
 *   deregistered → registered: a live process that finds itself deregistered registers again, once it has its number. It has lost its
 *                deliveries.
 */
export async function createOwnership({ pool, ownerPool, clock, worker, log, session, ...told }: OwnershipOptions) {
  const { assertWorker, registered, ownershipLost, tookOver } = told
  const register = async (on: Pool): Promise<Registration> => {
    const [own, events] = (await on.query(registration(worker, clock.now()))) as unknown as QueryResult[]
    const { newest } = events!.rows[0]
    warnOfDatesAhead(newest, clock, log)
    registered(newest)
    return own!.rows[0]
  }

  /** Of several processes that do the same at the same time, one deletes a registration. */
  const deregister = async (ids: readonly number[]) => {
    const deleted = await pool.query('delete from log_owner where id = any ($1::bigint[])', [ids])
    return { processes: deleted.rowCount ?? 0, deliveries: (await pool.query(release)).rowCount ?? 0 }
  }

  /** Also by the wall clock, because the monotonic clock stops while the machine is suspended. */
  const moment = () => ({ monotonicMs: clock.monotonic(), wallMs: clock.now(), session: session() })
  /** When a statement was begun that has proved the registration. */
  let proven = moment()
  let own = await retryLocked(clock, () => register(pool))
  const look = createSurvey(pool)
  let registering: Promise<void> | undefined
  let proving: Promise<void> | undefined

  /** Statements that failed together register once: a second registration would orphan what was written with the first. */
  const registerAgain = () => {
    registering ??= register(ownerPool)
      .then((renewed) => {
        own = renewed
        ownershipLost()
      })
      .finally(() => (registering = undefined))
    return registering
  }

  /** Runs a statement that begins with `alive`. */
  const guard = async <T>(statement: () => Promise<T>): Promise<T> => {
    const used = own.id
    const began = moment()
    try {
      const result = await statement()
      proven = began
      return result
    } catch (error) {
      if ((error as { code?: string }).code !== DIVISION_BY_ZERO) throw error
      await assertWorker()
      if (own.id === used) await registerAgain()
      throw new OwnershipLost(error)
    }
  }

  const prove = async () => void (await guard(() => ownerPool.query({ name: 'log-proof', text: proof, values: [own.id] })))

  const isRecent = () => clock.monotonic() - proven.monotonicMs < LEASE_MS && Math.abs(clock.now() - proven.wallMs) < LEASE_MS

  /** A process is not deregistered while it has its session, unless its lease may have expired since the registration was proved. */
  const isProven = () => proven.session !== undefined && proven.session === session() && isRecent()

  return {
    id: () => own.id,
    /** A commit is of this version: if it reaches the database after `supersede`, it fails. */
    version: () => own.version,
    guard,
    /**
     * Waits for the statements of this process that have begun, and lets commits that have not begun fail. Returns false if the registration
     * no longer exists.
     */
    async supersede(): Promise<boolean> {
      const { id } = own
      const version: string | undefined = (await ownerPool.query(supersede, [id])).rows[0]?.version
      if (version !== undefined && own.id === id) own = { id, version }
      return version !== undefined
    },
    /**
     * Call it when a statement was answered, before its deliveries are handed out. Throws if this registration was lost meanwhile: what the
     * statement assigned to it belongs to nobody, or to another process.
     */
    assertStill(owner: number) {
      if (own.id !== owner) throw new OwnershipLost()
    },
    /** Undefined while the registration is proven. Otherwise resolves once it is, and rejects if it is lost. */
    confirm(): Promise<void> | undefined {
      if (isProven()) return undefined
      proving ??= prove().finally(() => (proving = undefined))
      return proving
    },
    /**
     * Releases the deliveries of dead processes, including a former one with this number. A process that starts meanwhile is left alone.
     * Returns whether deliveries may wait for an owner.
     */
    async releaseDead(livingWorkers: () => Promise<number[]>): Promise<boolean> {
      const { rows: owners } = await pool.query<Owner>(registrations)
      const others = owners.filter((owner) => owner.worker !== worker)
      const living = new Set(others.length > 0 ? await livingWorkers() : [])
      const dead = others.filter((owner) => !living.has(owner.worker))
      const found = dead.length === 0 ? await look(owners) : undefined
      if (found && !found.areOrphaned) return found.areWaiting
      const { processes, deliveries } = await deregister(dead.map((owner) => owner.id))
      // Without a dead owner: a former process with the number of one that has registered since.
      const workers = dead.length > 0 && { workers: dead.map((owner) => owner.worker) }
      tookOver(dead.length > 0 ? processes : Math.min(1, deliveries), deliveries)
      if (deliveries > 0) log?.warn({ ...workers, deliveries }, TAKEN_OVER)
      return true
    },
    /** Releases everything and ends the registration. */
    resign: async () => void (await deregister([own.id])),
  }
}
export type Ownership = Awaited<ReturnType<typeof createOwnership>>
