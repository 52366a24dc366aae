import { clientNetworkOf } from '../access/networks.ts'
import { createRateLimiter, type RateLimits } from '../access/rate-limits.ts'
import { areas, generalAreaOf } from '../api/areas.ts'
import type { Listed } from '../api/declare/map.ts'
import type { RawRequest } from '../api/declare/raw-request.ts'
import { busy, fallbacksOf } from '../api/http/fallbacks.ts'
import { routesOf } from '../api/routes.ts'
import type { ServeOptions } from '../api/serve.ts'
import { createDatabaseWait } from '../api/wait-for-database.ts'
import { adsEndpoints, generalEndpoints, operatorEndpoints } from '../endpoints/index.ts'
import { createCallAudit } from '../endpoints/operator/audit-calls.ts'
import { createFairTurns } from '../lib/fair-turns.ts'
import { does } from '../settings/roles.ts'
import { traceCalls } from '../telemetry/trace-calls.ts'
import type { Base } from './parts.ts'
import type { Services } from './services.ts'

const STREAM = 'streamActivity'

/**
 * The endpoints by profile and roles; `all` are those of every role. The operator's are served on the general host unless they have a port of
 * their own.
 */
export function endpointsOf({ wing, settings: { operatorPort, roles }, more }: Base) {
  const isPublic = does(roles, 'publicHosts')
  const allAdvertising = [...adsEndpoints, ...(more?.endpoints ?? [])]
  const allGeneral = [...generalEndpoints, ...(wing?.pages ?? [])]
  const allOperator = [...operatorEndpoints, ...(wing?.endpoints ?? [])]
  const advertising = isPublic ? allAdvertising : []
  // A process that serves calls and holds no streams says so at their path.
  const general = isPublic ? allGeneral : does(roles, 'streams') ? allGeneral.filter(({ name }) => name === STREAM) : []
  const operator = does(roles, 'operator') ? allOperator : []
  const isApart = operatorPort !== undefined
  const onGeneral = isApart ? [] : operator
  return {
    general: [...general, ...onGeneral],
    production: advertising.filter(({ sandboxOnly }) => !sandboxOnly),
    onSandboxAlone: advertising.filter(({ sandboxOnly }) => sandboxOnly),
    sandbox: advertising,
    operator: isApart ? operator : undefined,
    described: [...general, ...advertising, ...onGeneral] as readonly Listed[],
    served: [...general, ...advertising, ...operator] as readonly Listed[],
    all: [...allGeneral, ...allAdvertising, ...allOperator] as readonly Listed[],
  }
}

/** Makes routes of endpoints; what all hosts serve alike stands here once. */
export function createServing(base: Base, services: Services, limits: RateLimits) {
  const { settings, storage, eventLog, clock, now, dialect, inspect, listening, logger, metrics, appLoad, telemetry, wing } = base
  const problemOptions = {
    dialect,
    get problemBaseUrl() {
      return settings.problemBaseUrl ?? `${listening.origins.base_url}/2/problems`
    },
    get realm() {
      return listening.origins.base_url
    },
  }
  const countCall = createRateLimiter(limits, storage.rateWindows, clock, metrics.requests.limited)
  const addressOf = (request: RawRequest) => services.general.originOf(request).address
  const networkOf = (request: RawRequest) => clientNetworkOf(addressOf(request))
  const noteCall = createCallAudit({ audit: storage.audit, now, logger, addressOf })
  const answered: typeof noteCall = (endpoint, request, status, caller, note) => {
    // What operators and portals do is not the app's load.
    if (caller?.app && endpoint.area !== 'operator') appLoad.called(caller.app.id, status)
    return noteCall(endpoint, request, status, caller, note)
  }
  const explain = wing?.explain(services.general)
  const disturb = wing?.disturb({ limits, problemOptions })
  const trace = telemetry?.traces && traceCalls(telemetry.traces)
  const turns = createFairTurns({ monotonic: () => clock.monotonic(), refusal: busy })
  const databaseWait = createDatabaseWait({
    clock,
    waitMs: settings.databaseWaitMs,
    isReady: () =>
      Promise.all([storage.ping(), eventLog.probe()]).then(
        () => true,
        () => false,
      ),
  })
  const same = {
    dialect,
    problemOptions,
    countCall,
    turns,
    networkOf,
    databaseWait,
    log: logger,
    inspect,
    explain,
    answered,
    disturb,
    trace,
  }
  type OfHost = Pick<ServeOptions<Services['general']>, 'endpoints' | 'services' | 'onSandboxAlone' | 'admit'>
  return {
    problemOptions,
    explain,
    databaseWait,
    fallbacks: { general: fallbacksOf(problemOptions, generalAreaOf), ads: fallbacksOf(problemOptions, () => areas.ads) },
    routes: (of: OfHost) => routesOf({ ...same, ...of }),
  }
}

/** What the public hosts serve, and where. */
export function createServed(
  { listening }: Base,
  services: Services,
  {
    routes,
    endpoints,
    admit,
  }: Pick<ReturnType<typeof createServing>, 'routes'> & {
    endpoints: ReturnType<typeof endpointsOf>
    admit: ServeOptions<unknown>['admit']
  },
) {
  const { general, production, onSandboxAlone, sandbox } = endpoints
  return {
    general: {
      name: 'The general host',
      origin: () => listening.origins.base_url,
      routes: routes({ endpoints: general, services: services.general, admit }),
    },
    advertising: {
      name: 'The advertising host',
      origin: () => listening.origins.ads_base_url,
      routes: routes({ endpoints: production, onSandboxAlone, services: services.advertising, admit }),
    },
    sandbox: {
      name: 'The sandbox',
      origin: () => listening.origins.ads_sandbox_base_url,
      routes: routes({ endpoints: sandbox, services: services.sandbox, admit }),
    },
  }
}
