import type { RawRequest } from '../../api/declare/raw-request.ts'
import type { Fallbacks } from '../../api/http/fallbacks.ts'
import { createRouteFinder, type Route } from '../../api/http/route.ts'
import type { Explain } from '../../api/serve.ts'
import { createNotHere } from './not-here.ts'

/** A host, and what it serves. */
export interface Served {
  /** `the advertising host` */
  name: string
  origin: () => string
  routes: readonly Route[]
}

const FORBIDDEN = 403

/** Finds the host that serves a path, as a sentence; undefined if none does. The tables are made with the first question. */
function createWhereIs(hosts: readonly Served[]): (path: string) => string | undefined {
  let finders: { host: Served; find: ReturnType<typeof createRouteFinder> }[] | undefined
  return (path) => {
    finders ??= hosts.map((host) => ({ host, find: createRouteFinder(host.routes) }))
    const found = finders.find(({ find }) => find(path) !== undefined)?.host
    return found && `${found.name} has this path: call it at ${found.origin()}.`
  }
}

const nothingLikeIt = createNotHere()

/** Of a path of X that Postern does not have: what to use instead. */
function whatInstead(path: string): string | undefined {
  const found = nothingLikeIt(path)
  return found && `Postern does not have ${found.what[0]!.toLowerCase()}${found.what.slice(1)}. ${found.instead}`
}

/** An answer to a path that a host does not have says which host has it, or what to use instead. */
export function explainingFallbacks(fallbacks: Fallbacks, hosts: readonly Served[], { refusal: explain }: Explain): Fallbacks {
  const whereIs = createWhereIs(hosts)
  return {
    ...fallbacks,
    notFound(path: string, request?: RawRequest) {
      const where = whereIs(path)
      const instead = where === undefined ? whatInstead(path) : undefined
      const isOfV2 = path.startsWith('/2/')
      const answer = instead !== undefined && isOfV2 ? fallbacks.refused(path, 'not-found', instead) : fallbacks.notFound(path)
      if (request && instead !== undefined) explain(answer, request, { reason: instead })
      else if (request && (where !== undefined || answer.status === FORBIDDEN))
        explain(answer, request, {
          reason: 'This host does not have the path.',
          more: () => [where ?? 'Another version of the path may exist: the advertising hosts serve /12/.'],
        })
      return answer
    },
  }
}
