import { lazyAsync } from '../lib/lazy.ts'
import { problemOf } from './answer/serialize-problem.ts'
import { areaOf, areas } from './areas.ts'
import { xPathOf } from './declare/dialect.ts'
import { USUAL_BODY_BYTES } from './declare/host-limits.ts'
import type { Listed } from './declare/map.ts'
import { methodNotAllowed } from './declare/problem.ts'
import type { RawAnswer, RawRequest } from './declare/raw-request.ts'
import type { Route } from './http/route.ts'
import { compileEndpoint, refuseEarly, type ServeOptions } from './serve.ts'

/**
 * One endpoint of the map: its module loads with its first request. Where that fails the answer is 500, and the next request tries again. That
 * helps where a file was missing: a module that threw while it was evaluated is kept by Node, and fails until the process ends.
 */
function lazyEndpoint<Services>(listed: Listed<Services>, options: ServeOptions<Services>) {
  let loaded: ReturnType<typeof compileEndpoint> | undefined
  const load = lazyAsync(async () => {
    const endpoint = await listed.load()
    loaded = compileEndpoint(endpoint, options)
    return { endpoint, respond: loaded }
  })
  const refuse = (error: unknown): RawAnswer => ({
    ...areas[listed.area].refuse(problemOf(error, options.log, listed.name), options.problemOptions),
    endpoint: listed.name,
  })
  return {
    respond: (request: RawRequest): Promise<RawAnswer> => loaded?.(request) ?? load().then(({ respond }) => respond(request), refuse),
    refuseEarly: (request: RawRequest) => load().then(({ endpoint }) => refuseEarly(endpoint, request, options), refuse),
  }
}

const allowedAt = (methods: string[]) => (methods.includes('GET') ? [...methods, 'HEAD'] : methods)

/** All endpoints of one path as one route: another verb there is 405. */
function routeAt<Services>(path: string, endpoints: Listed<Services>[], options: ServeOptions<Services>): Route {
  const byMethod = new Map(endpoints.map((listed) => [listed.method as string, lazyEndpoint(listed, options)]))
  const get = byMethod.get('GET')
  if (get) byMethod.set('HEAD', get)
  const methods = allowedAt(endpoints.map(({ method }) => method))
  const allow = methods.join(', ')
  const elsewhere = options.onSandboxAlone?.filter((endpoint) => endpoint.path === path).map(({ method }) => method as string)
  const refused = async ({ method }: RawRequest) => {
    const where = elsewhere?.includes(method) ? `The sandbox host serves ${method}.` : ''
    return areaOf(path).refuse(methodNotAllowed(method, allow, where), options.problemOptions)
  }
  const takesLarge = endpoints.some(({ bodyLimitBytes }) => bodyLimitBytes > USUAL_BODY_BYTES)
  return {
    path,
    methods,
    bodyLimitBytes: Math.max(...endpoints.map(({ bodyLimitBytes }) => bodyLimitBytes)),
    streams: endpoints.some(({ streams }) => streams),
    ...(takesLarge && { refuseEarly: async (request) => byMethod.get(request.method)?.refuseEarly(request) }),
    respond: (request) => byMethod.get(request.method)?.respond(request) ?? refused(request),
  }
}

/** The routes of a map of endpoints, each under every spelling of its path. */
export function routesOf<Services>(options: ServeOptions<Services>): Route[] {
  const byPath = Map.groupBy(options.endpoints, ({ path }) => path)
  return [...byPath].flatMap(([path, endpoints]) => {
    const route = routeAt(path, endpoints, options)
    return spellingsOf(path).map((spelling) => ({ ...route, path: spelling }))
  })
}

/** A path in both dialects; those of `/1.1/` also with the ending of their format, which clients write or leave out. */
function spellingsOf(path: string): string[] {
  const either = [...new Set([path, xPathOf(path)])]
  return path.startsWith('/1.1/') ? either.flatMap((spelling) => [spelling, `${spelling}.json`]) : either
}
