import type { Logger } from 'pino'
import type { Fallbacks } from './answer/fallbacks.ts'
import { type ProblemOptions, serializeAnswer, serializeProblem } from './answer/serialize.ts'
import { ADS_VERSION, type Area, ads, areaOf } from './declare/areas.ts'
import type { Caller } from './declare/auth.ts'
import { createDeferredErrors } from './declare/deferred-errors.ts'
import { type Dialect, type Rename, xPathOf } from './declare/dialect.ts'
import type { Endpoint } from './declare/endpoint.ts'
import { USUAL_BODY_BYTES } from './declare/host-limits.ts'
import { coded, invalidRequest, type Mistake, methodNotAllowed, Problem } from './declare/problem.ts'
import type { RawAnswer, RawRequest } from './declare/raw-request.ts'
import type { Route } from './http/http.ts'
import { compileAdsParams, type ReadParams } from './read/ads-params.ts'
import { compileParams } from './read/params.ts'
import { compileReadInSlices } from './read/read-in-slices.ts'

/** Lets a call pass, or throws; answers the headers that say how much is left. */
export type CountCall = (endpoint: Endpoint, caller: Caller, request: RawRequest) => Promise<Record<string, string>>

export interface Serving<Services> {
  endpoints: readonly Endpoint<Services>[]
  /** Those that only the sandbox host serves, where it is another that is served. */
  onSandboxAlone?: readonly Pick<Endpoint, 'method' | 'path'>[]
  services: Services
  dialect: Dialect
  problemOptions: ProblemOptions
  countCall: CountCall
  log: Logger
  /** Sees every answer before it is dressed; tests hold it against its schema. */
  inspect?: (endpoint: Endpoint, status: number, value: unknown) => void
  /** Told of every call once it is answered. */
  answered?: (endpoint: Endpoint, request: RawRequest, status: number) => void
}

/** What a client is asked to wait while the database is away. */
const RETRY_AFTER_SECONDS = '1'

/** A bug must not leave anything but its existence. */
function problemOf(error: unknown, log: Logger, endpoint: Endpoint): Problem {
  if (error instanceof Problem) return error
  if ((error as { unavailable?: boolean }).unavailable)
    return new Problem('unavailable', { detail: (error as Error).message }, { headers: { 'retry-after': RETRY_AFTER_SECONDS } })
  log.error({ err: error, endpoint: endpoint.name }, 'an endpoint failed')
  return new Problem('internal')
}

/** How an endpoint's answers are written in the dialect that is served. */
function renameOf(endpoint: Endpoint, dialect: Dialect): Rename {
  const rename = dialect.answers(endpoint.answer)
  if (dialect.name !== 'x' || !endpoint.wrappedInX) return rename
  return (value) => ({ data: rename ? rename(value) : value })
}

/** What an advertising endpoint answers stands beside what was asked (§2.4), refusals too. */
async function within(read: ReadParams | undefined, answering: Promise<unknown>): Promise<unknown> {
  if (read === undefined) return answering
  try {
    const answer = (await answering) as object
    if (read.deferred.mistakes.length > 0) throw new Error('an endpoint passed over what is wrong')
    return { request: { params: read.echo() }, ...answer }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { mistakes, wereThrown } = read.deferred
    const problem = mistakes.length === 0 || wereThrown ? error : invalidRequest(mistakes)
    problem.echo ??= read.echo()
    problem.members.errors = problem.members.errors?.map((mistake) => asSent(mistake, read))
    throw problem
  }
}

/** A mistake with the names that its request has. */
const asSent = ({ parameters, attribute, ...mistake }: Mistake, { sentAs }: ReadParams): Mistake => ({
  ...mistake,
  ...(parameters && { parameters: Object.fromEntries(Object.entries(parameters).map(([name, values]) => [sentAs(name), values])) }),
  ...(attribute !== undefined && { attribute: sentAs(attribute) }),
})

/** The stairs of one endpoint: who is calling, how often, with what, and then the room itself. */
function compileEndpoint<Services>(endpoint: Endpoint<Services>, serving: Serving<Services>) {
  const { services, dialect, problemOptions, countCall, log, inspect, answered } = serving
  const isAds = endpoint.area === ads
  const readParams = compileParams(endpoint as Endpoint, dialect)
  const inSlices = compileReadInSlices(endpoint as Endpoint, readParams)
  const readAdsParams = compileAdsParams(endpoint as Endpoint, dialect)
  const rename = renameOf(endpoint as Endpoint, dialect)
  const count = async (caller: Caller, request: RawRequest, said: Record<string, string>) => {
    Object.assign(said, caller.headers)
    Object.assign(said, await countCall(endpoint as Endpoint, caller, request))
  }
  return async (request: RawRequest): Promise<RawAnswer> => {
    const said: Record<string, string> = {}
    const answer = await (async () => {
      try {
        const caller = await endpoint.auth.authenticate(request, services).catch(async (error) => {
          if (error instanceof Problem && error.caller) await count(error.caller, request, said)
          throw error
        })
        await count(caller, request, said)
        const read = isAds ? readAdsParams(request, caller) : undefined
        const sliced = inSlices?.isFor(request) ? await inSlices.read(request) : undefined
        const params = read?.params ?? sliced ?? readParams(request)
        const deferred = read?.deferred ?? createDeferredErrors()
        const value = await within(read, endpoint.handle({ params, deferred, caller, request }, services))
        if (endpoint.area.problems !== 'page') inspect?.(endpoint as Endpoint, endpoint.success, value)
        return serializeAnswer(endpoint as Endpoint, value, rename)
      } catch (error) {
        return serializeProblem(endpoint.area, problemOf(error, log, endpoint as Endpoint), problemOptions)
      }
    })()
    Object.assign(answer.headers, said)
    answered?.(endpoint as Endpoint, request, answer.status)
    return answer
  }
}

/** Asks for the caller of an endpoint that takes large bodies, which its headers alone must tell. */
function refuseEarly<Services>(
  endpoints: Endpoint<Services>[],
  { services, problemOptions, log }: Serving<Services>,
): Route['refuseEarly'] {
  const byMethod = new Map(endpoints.map((endpoint) => [endpoint.method as string, endpoint]))
  if (endpoints.every(({ bodyLimitBytes }) => bodyLimitBytes <= USUAL_BODY_BYTES)) return undefined
  return async (request) => {
    const endpoint = byMethod.get(request.method)
    if (!endpoint || endpoint.auth.isOnce) return undefined
    try {
      await endpoint.auth.authenticate(request, services)
      return undefined
    } catch (error) {
      return serializeProblem(endpoint.area, problemOf(error, log, endpoint as Endpoint), problemOptions)
    }
  }
}

const allowedAt = (methods: string[]) => (methods.includes('GET') ? [...methods, 'HEAD'] : methods)

/** All endpoints of one path as one route: another verb there is 405. */
function routeAt<Services>(path: string, endpoints: Endpoint<Services>[], serving: Serving<Services>): Route {
  const byMethod = new Map(endpoints.map((endpoint) => [endpoint.method as string, compileEndpoint(endpoint, serving)]))
  const get = byMethod.get('GET')
  if (get) byMethod.set('HEAD', get)
  const methods = allowedAt(endpoints.map(({ method }) => method))
  const allow = methods.join(', ')
  const elsewhere = serving.onSandboxAlone?.filter((endpoint) => endpoint.path === path).map(({ method }) => method as string)
  const refused = async ({ method }: RawRequest) => {
    const where = elsewhere?.includes(method) ? `The sandbox host serves ${method}.` : ''
    return serializeProblem(areaOf(path), methodNotAllowed(method, allow, where), serving.problemOptions)
  }
  return {
    path,
    methods,
    bodyLimitBytes: Math.max(...endpoints.map(({ bodyLimitBytes }) => bodyLimitBytes)),
    refuseEarly: refuseEarly(endpoints, serving),
    respond: (request) => (byMethod.get(request.method) ?? refused)(request),
  }
}

/** The routes of a map of endpoints, each under every spelling of its path. */
export function routesOf<Services>(serving: Serving<Services>): Route[] {
  const byPath = Map.groupBy(serving.endpoints, ({ path }) => path)
  return [...byPath].flatMap(([path, endpoints]) => {
    const route = routeAt(path, endpoints, serving)
    return spellingsOf(path).map((spelling) => ({ ...route, path: spelling }))
  })
}

/** A path in both dialects; those of `/1.1/` also with the ending of their format, which clients write or leave out. */
function spellingsOf(path: string): string[] {
  const either = [...new Set([path, xPathOf(path)])]
  return path.startsWith('/1.1/') ? either.flatMap((spelling) => [spelling, `${spelling}.json`]) : either
}

const nothingAt = (path: string) =>
  new Problem('not-found', { detail: `There is nothing at this path on this host: ${path.slice(0, 200)}` })

/** An advertising host says first whether it serves the version at all (§9); `/2/` is the general host's. */
function nothingOnAds(path: string): Problem {
  const version = /^\/(?!2\/)(\d{1,3})(?:\/|$)/.exec(path)?.[1]
  if (version === undefined || version === ADS_VERSION) return nothingAt(path)
  return new Problem('forbidden', { errors: [{ code: 'INVALID', message: `Version ${version} is not available.` }] })
}

/** How a host answers what reaches no endpoint, in the dress of the path's area. */
export function fallbacksOf(problemOptions: ProblemOptions, areaAt: (path: string) => Area): Fallbacks {
  const dress = (path: string, problem: Problem) => serializeProblem(areaAt(path), problem, problemOptions)
  const nothing = { codes: () => coded(34), ads: nothingOnAds, 'problem+json': nothingAt, page: nothingAt }
  return {
    notFound: (path) => dress(path, nothing[areaAt(path).problems](path)),
    tooLarge: (path, limitBytes) =>
      dress(path, new Problem('too-large', { detail: `The request body is larger than ${limitBytes} bytes.` })),
    badRequest: (path, why) => dress(path, invalidRequest([{ message: why }])),
    refused: (path, kind, detail) => dress(path, new Problem(kind, { detail })),
    busy: (path) =>
      dress(
        path,
        new Problem(
          'unavailable',
          { detail: 'Too many large requests are being taken in; send this again in a moment.' },
          { headers: { 'retry-after': RETRY_AFTER_SECONDS } },
        ),
      ),
    notReady: (path) => dress(path, new Problem('unavailable', { detail: 'Starting or stopping: ask again in a moment.' })),
    broken: (path) => dress(path, new Problem('internal')),
  }
}
