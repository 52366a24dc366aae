import { createCalledName, createHttpsCheck, type PublicHost } from '../access/client-origin.ts'
import { describeLimit, type RateLimits } from '../access/rate-limits.ts'
import { areas } from '../api/areas.ts'
import { type Listed, loadEndpoints } from '../api/declare/map.ts'
import { pathOf, type RawAnswer, type RawRequest } from '../api/declare/raw-request.ts'
import type { Fallbacks } from '../api/http/fallbacks.ts'
import { createReadiness, healthPages } from '../api/http/health-pages.ts'
import { createHost, type Host } from '../api/http/http.ts'
import { page } from '../api/http/pages.ts'
import type { Route } from '../api/http/route.ts'
import { type ConsoleFiles, createConsoleFiles } from '../console/console-files.ts'
import { createConsolePages } from '../console/console-pages.ts'
import type { Served } from '../development/hosts/other-hosts.ts'
import { serveMedia } from '../endpoints/media/serve-media.ts'
import { lazyAsync } from '../lib/lazy.ts'
import { SettingsError } from '../settings/mistakes.ts'
import { does, nameRoles } from '../settings/roles.ts'
import type { Role } from '../storage/roles.ts'
import type { Broker } from './broker.ts'
import type { Listening } from './listening.ts'
import type { Base } from './parts.ts'
import type { Services } from './services.ts'
import { createServed, createServing, endpointsOf } from './serving.ts'

/**
 * `starting`: requests wait until the host serves. `serving`. `draining`: it still serves, and its health checks say that it is stopping.
 * `stopping`: 503.
 */
type Phase = 'starting' | 'serving' | 'draining' | 'stopping'

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
  /** The operator's host: none of its requests is recorded. */
  isOperators?: true
}

/** Makes hosts that serve once they are ready. The last of them answers 503 while the process is stopping. */
function createGate(
  { storage, eventLog, severalLogs, clock, logger, metrics, activity, wing, hold }: Base,
  { explain, databaseWait }: Pick<ReturnType<typeof createServing>, 'explain' | 'databaseWait'>,
  broker: Broker,
) {
  let phase: Phase = 'starting'
  /** The host that stays until the end, to tell that the process is stopping. */
  let last: Host | undefined
  const noteCaused = wing?.noteCaused ?? ((run) => run())
  const begun = Promise.withResolvers<void>()
  const isShut = (host: Host) => phase === 'stopping' && (host === last || !wasOpen)
  let wasOpen = false
  const readiness = createReadiness({
    phase: () => (({ starting: 'starting', serving: undefined, draining: 'stopping', stopping: 'stopping' }) as const)[phase],
    checks: { state: () => storage.ping(), event_log: () => eventLog.probe() },
    isPatient: databaseWait.isPatient,
    clock,
    logger,
  })
  const more = () => {
    const away = severalLogs?.status().flatMap(({ log, awaySinceMs }) => (awaySinceMs === undefined ? [] : [log])) ?? []
    return {
      ...(hold.since() !== undefined && { held: true }),
      ...(broker && { broker: broker.state() }),
      ...(away.length > 0 && { logs_away: away }),
    }
  }
  return {
    host({ routes, fallbacks, area, refuses, isOperators, always = [] }: GatedHost): Host {
      const refusal = (request: RawRequest) => {
        const why = refuses?.(request)
        if (why === undefined) return undefined
        const answer = fallbacks.refused(pathOf(request.target), 'forbidden', why)
        explain?.refusal(answer, request, { reason: why })
        return answer
      }
      const gated = ({ path, respond, refuseEarly, ...rest }: Route): Route => {
        const answer = (request: RawRequest): Promise<RawAnswer> => {
          const refused = isShut(made) ? fallbacks.notReady(path) : refusal(request)
          return refused ? Promise.resolve(refused) : activity.answer(() => noteCaused(() => respond(request)))
        }
        return {
          ...rest,
          path,
          ...(refuseEarly && { refuseEarly: async (request) => refusal(request) ?? activity.answer(() => refuseEarly(request)) }),
          // A balancer without health checks sends requests as soon as there is a listener.
          respond: (request) => (phase === 'starting' ? begun.promise.then(() => answer(request)) : answer(request)),
        }
      }
      const { answered } = metrics.requests
      const checked = (route: Route): Route => ({ ...route, respond: async (request) => refusal(request) ?? route.respond(request) })
      const pages = [...healthPages(readiness, area, more), ...always.map(checked), ...routes.map(gated)]
      const made = createHost(pages, fallbacks, logger, { answered, record: isOperators ? undefined : wing?.record })
      return made
    },
    open() {
      phase = 'serving'
      wasOpen = true
      begun.resolve()
    },
    isOpen: () => phase === 'serving',
    drain() {
      phase = 'draining'
    },
    shut(stays: Host) {
      phase = 'stopping'
      last = stays
      begun.resolve()
    },
    isStopping: () => phase === 'stopping',
  }
}

/** A route that exists for some requests only. */
function onlyFor(isFor: (request: RawRequest) => boolean, { refuseEarly, respond, ...rest }: Route, { notFound }: Fallbacks): Route {
  const nothing = ({ target }: RawRequest) => notFound(pathOf(target))
  return {
    ...rest,
    ...(refuseEarly && { refuseEarly: async (request) => (isFor(request) ? refuseEarly(request) : nothing(request)) }),
    respond: async (request) => (isFor(request) ? respond(request) : nothing(request)),
  }
}

/**
 * Joins the routes of the general host. Where media have an origin of their own they are served by its name alone, and nothing else is: a
 * browser that opened a file of a stranger would be on an origin without anything to steal.
 */
function createMediaOrigin({ settings: { mediaBaseUrl, trustProxy } }: Base) {
  return (others: readonly Route[], media: readonly Route[], fallbacks: Fallbacks): Route[] => {
    if (mediaBaseUrl === undefined) return [...others, ...media]
    const nameOf = createCalledName(trustProxy)
    const mediaName = new URL(mediaBaseUrl).hostname
    const isMedia = (request: RawRequest) => nameOf(request) === mediaName
    return [
      ...others.map((route) => onlyFor((request) => !isMedia(request), route, fallbacks)),
      ...media.map((route) => onlyFor(isMedia, route, fallbacks)),
    ]
  }
}

/** `/openapi.json` and the reference below `/docs`, both made of what is served, at the first request. */
function describedPages({ dialect, listening }: Base, map: readonly Listed[], limits: RateLimits, { notFound }: Fallbacks): Route[] {
  const load = lazyAsync(async () => {
    const { createDescription } = await import('../endpoints/description/description.ts')
    return createDescription(await loadEndpoints(map), dialect, listening.origins, describeLimit(limits))
  })
  const answer = async (request: RawRequest) => {
    const path = pathOf(request.target)
    const pageAt = (await load())(path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path)
    return pageAt?.(request) ?? notFound(path, request)
  }
  return ['/openapi.json', '/docs', '/docs/:page'].map((path) => page(path, answer))
}

/** Whether a browser can be led to the console: where what builds it is missing, it cannot. */
const hasConsole = (files: ConsoleFiles | undefined): Promise<boolean> =>
  files?.build().then(
    () => true,
    () => false,
  ) ?? Promise.resolve(false)

/** The fallbacks of a host that serves a part of its paths: the others are served by processes with the role `api`. */
const elsewhere = (own: Fallbacks, roles: readonly Role[]): Fallbacks => ({
  ...own,
  notFound: (path) =>
    own.refused(path, 'unavailable', `This process has the ${nameRoles(roles)}: lead this path to a process with the role api.`),
})

/** The hosts of a process; those that it does not serve are undefined. */
type Hosts = Partial<Record<PublicHost | 'operator', Host | undefined>>

/** What starts and ends hosts together. */
function createHandle(gate: ReturnType<typeof createGate>, listening: Listening, hosts: Hosts) {
  const publicHosts = [hosts.general, hosts.advertising, hosts.sandbox].filter((host) => host !== undefined)
  // The settings see to it: a process without a general host has an operator port.
  const last = (hosts.operator ?? hosts.general)!

  return {
    /** @throws SettingsError with every host that cannot listen. */
    async listen() {
      const steps = [
        ...(['general', 'advertising', 'sandbox'] as const).map((name) => async () => {
          const host = hosts[name]
          if (host) await listening.listen(name, host)
          else listening.passOver(name)
        }),
        () => listening.listenOperator(hosts.operator),
      ]
      const mistakes: string[] = []
      for (const step of steps) await step().catch(({ message }: Error) => mistakes.push(message))
      if (mistakes.length > 0) throw new SettingsError(mistakes)
    },
    /** From here on requests are served. */
    open: gate.open,
    isOpen: gate.isOpen,
    isStopping: gate.isStopping,
    /** From here on health checks say that the process is stopping. Requests are still served. */
    drain: gate.drain,
    /** From here on each answer is the last of its connection. */
    endConnections() {
      for (const host of [...publicHosts, last]) host.endConnections()
    },
    /** From here on the last host tells that the process is stopping. */
    shut: () => gate.shut(last),
    /** Closes all hosts but the last. */
    async stop() {
      await Promise.all(publicHosts.map((host) => host !== last && host.close()))
    },
    close: () => last.close(),
  }
}

/**
 * Makes the hosts that the roles need: general, advertising and its sandbox, and the operator's when it has a port of its own. `metricsPage`
 * is the operator's.
 */
export function assembleHosts(base: Base, services: Services, limits: RateLimits, metricsPage: Route, broker: Broker) {
  const { listening, wing, settings } = base
  const { roles } = settings
  const [isPublic, hasStreams, isOperators] = [does(roles, 'publicHosts'), does(roles, 'streams'), does(roles, 'operator')]
  const endpoints = endpointsOf(base)
  const serving = createServing(base, services, limits)
  const { routes, fallbacks, problemOptions, explain } = serving
  const gate = createGate(base, serving, broker)
  // Refuses what clients send unencrypted to the public hosts.
  const admit = wing ? undefined : createHttpsCheck(settings.trustProxy)
  const fallbacksBeside = (own: Fallbacks, others: readonly Served[]) => (explain && wing?.explainingFallbacks(own, others, explain)) ?? own
  const apart = createMediaOrigin(base)
  const media = serveMedia({ ...services.general, problemOptions, log: base.logger })

  // For operators alone: without a token nobody could sign in.
  const consoleFiles = isOperators && services.general.operatorOf ? createConsoleFiles() : undefined
  const consolePages = consoleFiles ? createConsolePages(consoleFiles, base.logger) : []

  const served = createServed(base, services, { routes, endpoints, admit })
  const besideGeneral = fallbacksBeside(fallbacks.general, [served.advertising, served.sandbox])

  const usual = fallbacks.general
  const pages = () => [
    ...describedPages(base, endpoints.described, limits, besideGeneral),
    ...(wing?.routes(services.general, () => hasConsole(consoleFiles)) ?? []),
    ...(endpoints.operator ? [] : consolePages),
  ]
  const general =
    isPublic || hasStreams
      ? gate.host({
          routes: isPublic ? apart([...served.general.routes, ...pages()], [media], usual) : apart(served.general.routes, [], usual),
          fallbacks: isPublic ? besideGeneral : elsewhere(usual, roles),
          refuses: wing?.refusesForeign('general'),
          always: endpoints.operator ? [] : apart([metricsPage], [], usual),
        })
      : undefined
  const advertisingHost = (host: 'advertising' | 'sandbox', others: readonly Served[]) =>
    isPublic
      ? gate.host({
          routes: served[host].routes,
          fallbacks: fallbacksBeside(fallbacks.ads, others),
          area: areas.ads,
          refuses: wing?.refusesForeign(host),
        })
      : undefined
  const advertising = advertisingHost('advertising', [served.general, served.sandbox])
  const sandbox = advertisingHost('sandbox', [served.general])
  // Without `admit`: the operator port is for this machine or its private network, with no proxy before it.
  const operator =
    endpoints.operator &&
    gate.host({
      routes: [...routes({ endpoints: endpoints.operator, services: services.general }), ...consolePages],
      fallbacks: isOperators ? usual : elsewhere(usual, roles),
      refuses: wing?.refusesForeign('general'),
      always: [metricsPage],
      isOperators: true,
    })
  return createHandle(gate, listening, { general, advertising, sandbox, operator })
}
