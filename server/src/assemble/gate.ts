import type { areas } from '../api/areas.ts'
import { pathOf, type RawRequest } from '../api/declare/raw-request.ts'
import type { Fallbacks } from '../api/http/fallbacks.ts'
import { healthPages } from '../api/http/health-pages.ts'
import { createHost, type Host } from '../api/http/http.ts'
import { createReadiness } from '../api/http/readiness.ts'
import type { Route } from '../api/http/route.ts'
import type { Explain } from '../api/serve.ts'
import type { Base } from './parts.ts'

/** `starting` and `stopping` answer 503; in between a host serves. */
type Phase = 'starting' | 'serving' | 'stopping'

/** A host as the gate makes it. */
interface GatedHost {
  routes: readonly Route[]
  fallbacks: Fallbacks
  /** Of its health checks. */
  area?: typeof areas.ads
  /** Routes that are served from the start of the process to its end. */
  always?: readonly Route[]
  /** The reason why a request is refused, whatever its path; health checks are not. */
  refuses?: (request: RawRequest) => string | undefined
}

/** Makes hosts that answer 503 until they are ready, and the last of them again while the process is stopping. */
export function createGate({ storage, eventLog, clock, logger, metrics, activity, wing }: Base, explain: Explain | undefined) {
  let phase: Phase = 'starting'
  /** The host that stays until the end, to tell that the process is stopping. */
  let last: Host | undefined
  const isShut = (host: Host) => phase === 'starting' || (phase === 'stopping' && host === last)
  const readiness = createReadiness({
    phase: () => (phase === 'serving' ? undefined : phase),
    checks: { state: () => storage.ping(), event_log: () => eventLog.probe() },
    clock,
    logger,
  })
  return {
    host({ routes, fallbacks, area, refuses, always = [] }: GatedHost): Host {
      const refusal = (request: RawRequest) => {
        const why = refuses?.(request)
        if (why === undefined) return undefined
        const answer = fallbacks.refused(pathOf(request.target), 'forbidden', why)
        explain?.refusal(answer, request, { reason: why })
        return answer
      }
      const gated = ({ path, respond, refuseEarly, ...rest }: Route): Route => ({
        ...rest,
        path,
        ...(refuseEarly && { refuseEarly: async (request) => refusal(request) ?? activity.answer(() => refuseEarly(request)) }),
        respond: async (request) =>
          isShut(made) ? fallbacks.notReady(path) : (refusal(request) ?? activity.answer(() => respond(request))),
      })
      const { answered } = metrics.requests
      const checked = (route: Route): Route => ({ ...route, respond: async (request) => refusal(request) ?? route.respond(request) })
      const pages = [...healthPages(readiness, area), ...always.map(checked), ...routes.map(gated)]
      const made = createHost(pages, fallbacks, logger, { answered, record: wing?.record })
      return made
    },
    open() {
      phase = 'serving'
    },
    shut(stays: Host) {
      phase = 'stopping'
      last = stays
    },
    isStopping: () => phase === 'stopping',
  }
}
