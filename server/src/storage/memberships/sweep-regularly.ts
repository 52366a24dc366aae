import { type Clock, endOfTurn, type Timer } from '../../lib/clock.ts'
import { HOUR_MS } from '../../lib/time.ts'
import type { Memberships } from '../memberships.ts'
import type { StorageLog } from '../storage-log.ts'

/** Tells which of these audiences still have a record. */
type KeptAudiences = (audienceIds: readonly string[]) => Promise<ReadonlySet<string>>

const PAGE = 200

/**
 * Removes the users of all audiences that have no record any more: that of the audience or of its account was deleted. Ends early once
 * `isStopped`.
 */
async function removeOrphans(
  { audiences, remove }: Pick<Memberships, 'audiences' | 'remove'>,
  keptAmong: KeptAudiences,
  isStopped: () => boolean,
): Promise<void> {
  for (let ids = await audiences('', PAGE); ids.length > 0 && !isStopped(); ids = await audiences(ids.at(-1)!, PAGE)) {
    const kept = await keptAmong(ids)
    for (const id of ids) if (!kept.has(id) && !isStopped()) await remove(id)
  }
}

/** Once an hour removes users of audiences without a record, and sweeps memberships, until `stop` is called. A sweep that fails goes on after the rows on which it did, an hour later. */
export function sweepRegularly(
  memberships: Memberships,
  keptAmong: KeptAudiences,
  clock: Clock,
  log?: StorageLog,
): { stop(): Promise<void> } {
  let timer: Timer | undefined
  let isStopped = false
  let running = Promise.resolve()

  const failed = (err: unknown) => {
    if (!isStopped) log?.error({ err }, 'ended memberships of audiences could not be deleted; this goes on in an hour')
  }
  const sweepAll = async () => {
    await removeOrphans(memberships, keptAmong, () => isStopped).catch(failed)
    while (!isStopped && (await memberships.sweep(clock.now()))) await endOfTurn()
  }
  const later = () => {
    if (isStopped) return
    timer = clock.after(HOUR_MS, () => {
      running = sweepAll().catch(failed)
      void running.then(later)
    })
  }
  later()
  return {
    /** Resolves once nothing is deleted any more. */
    async stop() {
      isStopped = true
      timer?.cancel()
      await running
    },
  }
}
