import { type Clock, endOfTurn, type Timer } from '../../lib/clock.ts'
import { HOUR_MS } from '../../lib/time.ts'
import type { Memberships } from '../memberships.ts'

/** Sweeps memberships once an hour, until `stop` is called. What fails is tried again an hour later. */
export function sweepRegularly({ sweep }: Pick<Memberships, 'sweep'>, clock: Clock): { stop(): void } {
  let timer: Timer | undefined
  let isStopped = false

  const sweepAll = async () => {
    while (!isStopped && (await sweep(clock.now()))) await endOfTurn()
  }
  const later = () => {
    if (!isStopped) timer = clock.after(HOUR_MS, () => void sweepAll().then(later, later))
  }
  later()
  return {
    stop() {
      isStopped = true
      timer?.cancel()
    },
  }
}
