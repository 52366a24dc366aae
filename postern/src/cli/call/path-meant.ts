import { didYouMeanPath } from '../../../../server/src/lib/nearest.ts'
import type { Answer, Server } from '../server.ts'

const NOT_FOUND = 404

/** A sentence with the path that was probably meant, after a call to a path that the server does not have. */
export async function pathMeant({ status }: Answer, { hostname, pathname }: URL, server: Server): Promise<string[]> {
  if (status !== NOT_FOUND || hostname !== new URL(server.url).hostname) return []
  const described = await server.send({ method: 'GET', url: new URL('/openapi.json', server.url).href }).catch(() => undefined)
  const meant = didYouMeanPath(pathname, Object.keys(described?.body?.paths ?? {}))
  return meant === '' ? [] : [`There is no path ${pathname}.${meant}`]
}
