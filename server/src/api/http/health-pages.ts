import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import { createSharedRead } from '../../lib/shared-read.ts'
import { DatabaseAway, logUnlessUnavailable } from '../../storage/unavailable.ts'
import { JSON_TYPE } from '../answer/serialize.ts'
import type { Area } from '../areas.ts'
import { page } from './pages.ts'
import type { Route } from './route.ts'

/** Why it cannot serve: a check that failed, or what it is doing instead. */
type NotReady = 'state' | 'event_log' | 'starting' | 'stopping'

interface ReadinessOptions {
  /** What it is doing besides serving, if anything. */
  phase(): 'starting' | 'stopping' | undefined
  /** Each rejects when what it looks at cannot be used. */
  checks: Partial<Record<NotReady, () => Promise<unknown>>>
  /** Told that the database is away: whether calls wait until it is back. */
  isPatient(): boolean
  clock: Pick<Clock, 'elapsed'>
  logger: Logger
}

/** What keeps it from serving; empty when it can. `awaited` is what calls wait for meanwhile. */
type Readiness = () => Promise<{ failed: NotReady[]; awaited: NotReady[] }>

/** What the checks said is good for so long, so that strangers who ask again and again cost little. */
const GOOD_FOR_MS = 200

/** Whoever asks while the checks are under way, or right after them, shares them. The operator is told of each change. */
export function createReadiness({ phase, checks, isPatient, clock, logger }: ReadinessOptions): Readiness {
  let told = ''

  const tell = (failed: readonly NotReady[], errors: readonly unknown[]) => {
    if (failed.join() === told) return
    told = failed.join()
    if (failed.length > 0) {
      logger.warn({ failed }, 'readiness check failed')
      for (const error of errors) logUnlessUnavailable(logger, error, 'a check failed')
    } else logger.info('readiness check passes again')
  }

  const runChecks = async () => {
    const names = Object.keys(checks) as NotReady[]
    const results = await Promise.allSettled(names.map(async (name) => checks[name]!()))
    const failed = names.filter((_, place) => results[place]!.status === 'rejected')
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    tell(failed, errors)
    return { failed, isAway: errors.length > 0 && errors.every((error) => error instanceof DatabaseAway) }
  }

  const shared = createSharedRead(clock, GOOD_FOR_MS, runChecks)
  return async () => {
    const other = phase()
    if (other) return { failed: [other], awaited: [] }
    const { failed, isAway } = await shared()
    return isAway && isPatient() ? { failed: [], awaited: failed } : { failed, awaited: [] }
  }
}

const answer = (status: number, value: unknown) => ({
  status,
  headers: { 'content-type': JSON_TYPE, 'cache-control': 'no-store' },
  body: JSON.stringify(value),
})

/**
 * What orchestrators ask of a host of this area: `GET /livez`, 200 while the process answers at all; `GET /readyz`, 200 once it can
 * serve and 503 with what keeps it from that; `GET /healthz`, the same without the reason. `more` is what a ready one says besides.
 */
export function healthPages(readiness: Readiness, area?: Area, more: () => object = () => ({})): Route[] {
  const healthz = async () => {
    const ready = (await readiness()).failed.length === 0
    return answer(ready ? 200 : 503, { ready })
  }
  const readyz = async () => {
    const { failed, awaited } = await readiness()
    if (failed.length > 0) return answer(503, { ready: false, failed })
    return answer(200, { ready: true, ...(awaited.length > 0 && { waiting_for: awaited }), ...more() })
  }
  return [page('/healthz', healthz, area), page('/readyz', readyz, area), page('/livez', () => answer(200, { alive: true }), area)]
}
