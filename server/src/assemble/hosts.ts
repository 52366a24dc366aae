import { createExplainRefusal } from '../access/explain/explain-refusals.ts'
import { createRateLimiter } from '../access/rate-limits.ts'
import type { ExplainRefusal } from '../api/answer/why-refused.ts'
import { areas, generalAreaOf } from '../api/areas.ts'
import type { Endpoint } from '../api/declare/endpoint.ts'
import { pathOf, type RawRequest } from '../api/declare/raw-request.ts'
import { fallbacksOf } from '../api/http/fallbacks.ts'
import { healthPages } from '../api/http/health-pages.ts'
import { createHost, type Host } from '../api/http/http.ts'
import { jsonPage } from '../api/http/pages.ts'
import { createReadiness } from '../api/http/readiness.ts'
import type { Route } from '../api/http/route.ts'
import { routesOf, type ServeOptions } from '../api/serve.ts'
import { adsEndpoints, developmentEndpoints, developmentPages, generalEndpoints, operatorEndpoints } from '../endpoints/index.ts'
import { serveMedia } from '../endpoints/media/serve-media.ts'
import { createCallAudit } from '../endpoints/operator/audit-calls.ts'
import { SettingsError } from '../settings/mistakes.ts'
import { describedPages } from './described-pages.ts'
import { createHostChecks } from './host-checks.ts'
import { createMediaOrigin } from './media-origin.ts'
import { explainingFallbacks, type Served } from './other-hosts.ts'
import type { Base, RateLimits } from './parts.ts'
import { realHosts } from './real-hosts.ts'
import type { Services } from './services.ts'
import { startPageRoute } from './start-page.ts'

/** `starting` and `stopping` answer 503; in between a host serves. */
type Phase = 'starting' | 'serving' | 'stopping'

/** The endpoints by profile. The operator's are served on the general host unless they have a port of their own. */
function endpointsOf({ development, settings: { operatorPort }, more }: Base) {
  const advertising = [...adsEndpoints, ...(more?.endpoints ?? [])]
  const general = [...generalEndpoints, ...(development ? developmentPages : [])]
  const operator = [...operatorEndpoints, ...(development ? developmentEndpoints : [])]
  const isApart = operatorPort !== undefined
  const onGeneral = isApart ? [] : operator
  return {
    general: [...general, ...onGeneral],
    production: advertising.filter(({ sandboxOnly }) => !sandboxOnly),
    onSandboxAlone: advertising.filter(({ sandboxOnly }) => sandboxOnly),
    sandbox: advertising,
    operator: isApart ? operator : undefined,
    described: [...general, ...advertising, ...onGeneral] as unknown as readonly Endpoint[],
  }
}

/** What `postern run` and the test kit ask: which host of the real service leads to which listener. In development alone. */
const takeOverPage = ({ dialect, listening }: Base): Route => {
  const origins = () => Object.fromEntries([...realHosts].map(([host, listener]) => [host, listening.boundOrigin(listener)]))
  return jsonPage('/.well-known/postern', () => ({ dialect: dialect.name, hosts: origins() }))
}

/** Makes routes of endpoints; what all hosts serve alike stands here once. */
function createServing(base: Base, services: Services, limits: RateLimits) {
  const { settings, storage, clock, now, dialect, development, inspect, listening, logger, metrics, testTools } = base
  const problemOptions = {
    get problemBaseUrl() {
      return settings.problemBaseUrl ?? `${listening.origins.base_url}/2/problems`
    },
    get realm() {
      return listening.origins.base_url
    },
  }
  const countCall = createRateLimiter(limits, storage.rateWindows, clock, metrics.requests.limited)
  const addressOf = (request: RawRequest) => services.general.originOf(request).address
  const answered = createCallAudit({ audit: storage.audit, now, logger, addressOf })
  const explain = development ? createExplainRefusal({ ...services.general, now }) : undefined
  const disturb = testTools?.disturb({ limits, problemOptions })
  const same = { dialect, problemOptions, countCall, log: logger, inspect, explain, answered, disturb }
  type OfHost = Pick<ServeOptions<Services['general']>, 'endpoints' | 'services' | 'onSandboxAlone' | 'admit'>
  return {
    problemOptions,
    explain,
    fallbacks: { general: fallbacksOf(problemOptions, generalAreaOf), ads: fallbacksOf(problemOptions, () => areas.ads) },
    routes: (of: OfHost) => routesOf({ ...same, ...of }),
  }
}

type Fallbacks = ReturnType<typeof fallbacksOf>

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
function createGate({ storage, eventLog, clock, logger, metrics, activity, testTools }: Base, explain: ExplainRefusal | undefined) {
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
        explain?.(answer, request, { reason: why })
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
      const made = createHost(pages, fallbacks, logger, { answered, record: testTools?.record })
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

/** What the public hosts serve, and where. */
function createServed(
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
      ...{ name: 'The general host', origin: () => listening.origins.base_url },
      routes: routes({ endpoints: general, services: services.general, admit }),
    },
    advertising: {
      ...{ name: 'The advertising host', origin: () => listening.origins.ads_base_url },
      routes: routes({ endpoints: production, onSandboxAlone, services: services.advertising, admit }),
    },
    sandbox: {
      ...{ name: 'The sandbox', origin: () => listening.origins.ads_sandbox_base_url },
      routes: routes({ endpoints: sandbox, services: services.sandbox, admit }),
    },
  }
}

/** Makes the hosts: general, advertising and its sandbox, and the operator's when it has a port of its own. `metricsPage` is the operator's. */
export function assembleHosts(base: Base, services: Services, limits: RateLimits, metricsPage: Route) {
  const { listening } = base
  const endpoints = endpointsOf(base)
  const { routes, fallbacks, problemOptions, explain } = createServing(base, services, limits)
  const gate = createGate(base, explain)
  const { foreignName, admit } = createHostChecks(base)
  const apart = createMediaOrigin(base)
  const media = serveMedia({ ...services.general, problemOptions, log: base.logger })

  const served = createServed(base, services, { routes, endpoints, admit })

  const general = gate.host({
    routes: apart(
      [
        ...served.general.routes,
        ...describedPages(base, endpoints.described, limits),
        ...(base.development ? [startPageRoute(base, services.general), takeOverPage(base)] : []),
      ],
      [media],
      fallbacks.general,
    ),
    fallbacks: explainingFallbacks(fallbacks.general, [served.advertising, served.sandbox], explain),
    refuses: foreignName('general'),
    always: endpoints.operator ? [] : apart([metricsPage], [], fallbacks.general),
  })
  const advertisingHost = (host: 'advertising' | 'sandbox', others: readonly Served[]) =>
    gate.host({
      routes: served[host].routes,
      fallbacks: explainingFallbacks(fallbacks.ads, others, explain),
      area: areas.ads,
      refuses: foreignName(host),
    })
  const advertising = advertisingHost('advertising', [served.general, served.sandbox])
  const sandbox = advertisingHost('sandbox', [served.general])
  // Without `admit`: the operator port is for this machine or its private network, with no proxy before it.
  const operator =
    endpoints.operator &&
    gate.host({
      routes: routes({ endpoints: endpoints.operator, services: services.general }),
      fallbacks: fallbacks.general,
      refuses: foreignName('general'),
      always: [metricsPage],
    })
  const last = operator ?? general

  return {
    /** @throws SettingsError with every host that cannot listen. */
    async listen() {
      const steps = [
        () => listening.listen('general', general),
        () => listening.listen('advertising', advertising),
        () => listening.listen('sandbox', sandbox),
        () => listening.listenOperator(operator),
      ]
      const mistakes: string[] = []
      for (const step of steps) await step().catch(({ message }: Error) => mistakes.push(message))
      if (mistakes.length > 0) throw new SettingsError(mistakes)
    },
    /** From here on requests are served. */
    open: gate.open,
    isStopping: gate.isStopping,
    /** Closes all hosts but one, which goes on to tell that the process is stopping. */
    async stop() {
      gate.shut(last)
      await Promise.all([general, advertising, sandbox].map((host) => host !== last && host.close()))
    },
    close: () => last.close(),
  }
}
