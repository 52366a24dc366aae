import type { Pool } from 'pg'
import type { Clock } from '../../../lib/clock.ts'
import { Unavailable } from '../../unavailable.ts'

/** What PostgreSQL answers to the division in `alive` when the registration is gone. */
const DIVISION_BY_ZERO = '22012'
const LOCK_NOT_AVAILABLE = '55P03'
const LONGEST_LOCKED_MS = 30_000

/** Another process took this one for dead, while it was frozen or cut off. Nothing was written; it is registered anew by now. */
export class TakenForDead extends Unavailable {
  constructor(cause: unknown) {
    super('Another process took over the work of this one. Nothing was changed; retry in a moment.', { cause })
  }
}

/**
 * Begins every statement that makes deliveries somebody's: it fails unless the owner of that parameter is registered, and keeps the
 * registration until it has committed. Referred to as `(select fence from alive) = 1`.
 */
export const alive = (parameter: string) => `alive as materialized (
    select 1 / count(*)::int as fence from (select 1 from log_owner where id = ${parameter} for share) registration
  )`

/** Of one number there is one registration. */
const registration = `
  insert into log_owner (worker) values ($1)
  on conflict (worker) do update set id = default returning id`

interface OwnershipOptions {
  pool: Pool
  clock: Clock
  worker: number
  /** Throws while another process may have the number. */
  assertWorker(): Promise<void> | void
  /** Called after each registration and before anything is written under it: nothing is written any more under those before. */
  registered(): Promise<void>
  /** This process was struck off and is registered anew: what it held belongs to nobody, perhaps not even yet. */
  struckOff(): void
}

/**
 * Who this process is to the others. Its number may have been that of a process that died, and a statement of the dead may still be
 * running, so each start registers anew and deliveries belong to the registration.
 *
 *   registered → struck off: by a process that takes it for dead, or by the next of the same number. Striking off waits for
 *                statements under way; those that come later fail. Then what it held belongs to nobody.
 *   struck off → registered: a process that finds itself struck off and lives registers anew, once it has its number. What it held is not its any more.
 */
export async function createOwnership({ pool, clock, worker, assertWorker, registered, struckOff }: OwnershipOptions) {
  const register = async (): Promise<number> => {
    const { rows } = await pool.query(registration, [worker])
    await registered()
    return rows[0].id
  }

  /** A statement of a process that was killed may hold the registration still. */
  const retryLocked = async <T>(step: () => Promise<T>): Promise<T> => {
    const givenUpAtMs = clock.monotonic() + LONGEST_LOCKED_MS
    for (;;) {
      try {
        return await step()
      } catch (error) {
        if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE || clock.monotonic() > givenUpAtMs) throw error
      }
    }
  }

  /** Everything that belongs to no registration belongs to nobody. */
  const release = () =>
    pool.query('update log_open o set owner = null where owner is not null and not exists (select 1 from log_owner where id = o.owner)')

  const strikeOff = async (ids: readonly number[]) => {
    await pool.query('delete from log_owner where id = any ($1::bigint[])', [ids])
    await release()
  }

  let id = await retryLocked(register)
  let registering: Promise<void> | undefined

  /** Statements that failed together register once: a second registration would have what was written under the first belong to nobody. */
  const registerAnew = () => {
    registering ??= register()
      .then((fresh) => {
        id = fresh
        struckOff()
      })
      .finally(() => (registering = undefined))
    return registering
  }

  return {
    id: () => id,
    /** Runs a statement that begins with `alive`. */
    async guard<T>(statement: () => Promise<T>): Promise<T> {
      const used = id
      try {
        return await statement()
      } catch (error) {
        if ((error as { code?: string }).code !== DIVISION_BY_ZERO) throw error
        await assertWorker()
        if (id === used) await registerAnew()
        throw new TakenForDead(error)
      }
    },
    /** Takes away what processes held that are dead, a former one of this number too. One that starts meanwhile is left alone. */
    async releaseDead(livingWorkers: () => Promise<number[]>) {
      const { rows } = await pool.query<{ id: number; worker: number }>('select id, worker from log_owner')
      const living = new Set([worker, ...(await livingWorkers())])
      await strikeOff(rows.filter((owner) => !living.has(owner.worker)).map((owner) => owner.id))
    },
    /** Gives everything back, for good. */
    resign: () => strikeOff([id]),
  }
}
export type Ownership = Awaited<ReturnType<typeof createOwnership>>
