import type { Timer } from '../lib/clock.ts'
import { SECOND_MS } from '../lib/time.ts'
import { type Role, roleNames } from '../storage/roles.ts'
import type { SharingProcess } from '../storage/sizes.ts'
import { logUnlessUnavailable } from '../storage/unavailable.ts'
import type { Base } from './parts.ts'

/** A process that is replaced is seldom missed for so long. */
const PATIENCE_MS = 5 * SECOND_MS

/** What nobody does without the role. */
const consequences: Record<Role, string> = {
  api: 'no call is served',
  delivery: 'accepted events wait in the event log',
  stream: 'activity streams are refused',
}

/** How many living processes have each role. One that does not tell is taken for one that has them all. */
export const countByRole = (processes: readonly SharingProcess[]): Record<Role, number> => {
  const living = processes.filter(({ isFrozen }) => !isFrozen)
  const of = (role: Role) => living.filter(({ roles }) => roles === null || roles.includes(role)).length
  return { api: of('api'), delivery: of('delivery'), stream: of('stream') }
}

/**
 * Says in the log when no process has a role any more, and when one has it again: whenever processes have come or gone. Of those that live
 * the one with the lowest number says it.
 */
export function watchRoles({ storage, clock, logger }: Pick<Base, 'storage' | 'clock' | 'logger'>) {
  let missing: readonly Role[] = []
  let timer: Timer | undefined
  let isStopped = false

  const look = async () => {
    const processes = await storage.processes()
    const counts = countByRole(processes)
    const former = missing
    missing = roleNames.filter((role) => counts[role] === 0)
    const [first] = processes.filter(({ isFrozen }) => !isFrozen)
    if (isStopped || first?.worker !== storage.worker) return
    for (const role of missing)
      if (!former.includes(role)) logger.warn({ role }, `no process has the role ${role}: ${consequences[role]} until one is started`)
    for (const role of former) if (!missing.includes(role)) logger.info({ role }, `a process has the role ${role} again`)
  }

  const lookSoon = () => {
    if (isStopped) return
    timer ??= clock.after(
      PATIENCE_MS,
      () => {
        timer = undefined
        look().catch((error) => logUnlessUnavailable(logger, error, 'could not look which roles the processes have'))
      },
      { isUpkeep: true },
    )
  }

  return {
    start() {
      // Without a channel no other process shares the database.
      if (storage.reportChannel === undefined) return
      storage.changes.listen(({ kind }) => (kind === 'arrival' || kind === 'departure' || kind === 'everything') && lookSoon())
      lookSoon()
    },
    stop() {
      isStopped = true
      timer?.cancel()
    },
  }
}
