import { createCalledName } from '../access/client-origin.ts'
import { pathOf, type RawRequest } from '../api/declare/raw-request.ts'
import type { Fallbacks } from '../api/http/fallbacks.ts'
import type { Route } from '../api/http/route.ts'
import type { Base } from './parts.ts'

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
export function createMediaOrigin({ settings: { mediaBaseUrl, trustProxy } }: Base) {
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
