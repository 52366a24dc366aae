import { type AreaName, areaNameOf } from './area-names.ts'
import { atDeprecatedPath } from './deprecated-path.ts'
import type { Endpoint, Method } from './endpoint.ts'
import { USUAL_BODY_BYTES } from './host-limits.ts'

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

/** A line of the map: an endpoint's route, its name, and the module that exports it by this name. */
export function at<Name extends string, Services>(
  route: `${Method} /${string}`,
  name: Name,
  load: () => Promise<Record<Name, Endpoint<Services>>>,
  known: Partial<Known> = {},
): Listed<Services> {
  const [method, path] = route.split(' ') as [Method, string]
  const usual = { bodyLimitBytes: USUAL_BODY_BYTES, streams: false, sandboxOnly: false }
  return { name, method, path, area: areaNameOf(path), load: async () => (await load())[name], ...usual, ...known }
}

/** A line of an endpoint at the path that it had before, where it has the same handler and rate limit. */
export function formerly<Name extends string, Services>(
  route: `${Method} /${string}`,
  name: Name,
  load: () => Promise<Record<Name, Endpoint<Services>>>,
): Listed<Services> {
  return { ...at(route, name, load), name: `${name}AtDeprecatedPath`, load: async () => atDeprecatedPath((await load())[name]) }
}

/** Loads all endpoints of a map, in its order. */
export const loadEndpoints = <Services>(map: readonly Listed<Services>[]): Promise<Endpoint<Services>[]> =>
  Promise.all(map.map((listed) => listed.load()))
