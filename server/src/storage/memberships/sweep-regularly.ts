import { type Clock, endOfTurn, type Timer } from '../../lib/clock.ts'
import { HOUR_MS } from '../../lib/time.ts'
import type { Memberships } from '../memberships.ts'
import type { StorageLog } from '../storage-log.ts'

/** Sweeps memberships once an hour, until `stop` is called. A sweep that fails goes on after the rows on which it did, an hour later. */
export function sweepRegularly({ sweep }: Pick<Memberships, 'sweep'>, clock: Clock, log?: StorageLog): { stop(): void } {
  let timer: Timer | undefined
  let isStopped = false

  const sweepAll = async () => {
    while (!isStopped && (await sweep(clock.now()))) await endOfTurn()
  }
  const failed = (err: unknown) => {
    if (!isStopped) log?.error({ err }, 'ended memberships of audiences could not be deleted; this goes on in an hour')
  }
  const later = () => {
    if (!isStopped) timer = clock.after(HOUR_MS, () => void sweepAll().catch(failed).then(later))
  }
  later()
  return {
    stop() {
      isStopped = true
      timer?.cancel()
    },
  }
}
