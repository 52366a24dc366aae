import { endOfTurn } from '../../lib/clock.ts'
import { type AreaName, areaNameOf } from './area-names.ts'
import { deprecationHeaders, type Endpoint, type Method, pathNamesOf } from './endpoint.ts'
import { USUAL_BODY_BYTES } from './host-limits.ts'

/** An endpoint at its deprecated path, which shares the handler and the rate limit. @throws Error for an endpoint that declares none. */
function atDeprecatedPath<Services>(endpoint: Endpoint<Services>): Endpoint<Services> {
  const { deprecatedPath, name, method, path, summary } = endpoint
  if (deprecatedPath === undefined) throw new Error(`${name} declares no deprecated path`)
  const { path: formerPath, section } = deprecatedPath
  const headers = deprecationHeaders(deprecatedPath, `<${path}>; rel="successor-version"`)
  const deprecation = { headers, successor: `${method} ${path}` }
  return {
    ...endpoint,
    name: `${name}AtDeprecatedPath`,
    path: formerPath,
    pathNames: pathNamesOf(formerPath),
    section,
    summary: `${summary.slice(0, -1)}, at its deprecated path.`,
    deprecatedPath: undefined,
    deprecation,
    isQueryRead: true,
  }
}

/** What the map says of an endpoint that a host must know before its module is loaded. It is what the declaration says; a test compares them. */
interface Known {
  bodyLimitBytes: number
  /** A multipart body is taken as it comes. */
  streams: boolean
  sandboxOnly: boolean
}

/** An endpoint in the map: enough to route a request to it. Its module loads with its first request. */
export interface Listed<in Services = never> extends Known {
  /** The name of the endpoint, and of the export. */
  name: string
  method: Method
  /** With placeholders: `/2/webhooks/:webhook_id`. */
  path: string
  area: AreaName
  load(): Promise<Endpoint<Services>>
}

type ServicesOf<One> = One extends Endpoint<infer Services> ? Services : never

/** A line of the map: an endpoint's route, its name, and the module that exports it by this name. */
export function at<Name extends string, Module extends Record<Name, Endpoint>>(
  route: `${Method} /${string}`,
  name: Name,
  load: () => Promise<Module>,
  known: Partial<Known> = {},
): Listed<ServicesOf<Module[Name]>> {
  const [method, path] = route.split(' ') as [Method, string]
  const usual = { bodyLimitBytes: USUAL_BODY_BYTES, streams: false, sandboxOnly: false }
  const loadEndpoint = async () => {
    const found: Endpoint = (await load())[name]
    return found as Endpoint<ServicesOf<Module[Name]>>
  }
  return { name, method, path, area: areaNameOf(path), load: loadEndpoint, ...usual, ...known }
}

/** A line of an endpoint at the path that it had before, where it has the same handler and rate limit. */
export function formerly<Name extends string, Module extends Record<Name, Endpoint>>(
  route: `${Method} /${string}`,
  name: Name,
  load: () => Promise<Module>,
): Listed<ServicesOf<Module[Name]>> {
  const line = at(route, name, load)
  return { ...line, name: `${name}AtDeprecatedPath`, load: async () => atDeprecatedPath(await line.load()) }
}

/** Loads all endpoints of a map, in its order. One module after the other, so that calls are served between them. */
export async function loadEndpoints<Services>(map: readonly Listed<Services>[]): Promise<Endpoint<Services>[]> {
  const endpoints: Endpoint<Services>[] = []
  for (const listed of map) {
    await endOfTurn()
    endpoints.push(await listed.load())
  }
  return endpoints
}
