import { html } from '../../api/answer/html.ts'
import { serializePage } from '../../api/answer/page.ts'
import { areas } from '../../api/areas.ts'
import { xPathOf } from '../../api/declare/dialect.ts'
import { headerOf, type RawAnswer, type RawRequest } from '../../api/declare/raw-request.ts'
import type { Fallbacks } from '../../api/http/fallbacks.ts'
import { createRouteFinder, type Route } from '../../api/http/route.ts'
import type { Explain } from '../../api/serve.ts'
import { lazy } from '../../lib/lazy.ts'
import { didYouMeanPath } from '../../lib/nearest.ts'
import { createNotHere } from './not-here.ts'

/** A host, and what it serves. */
export interface Served {
  /** `the advertising host` */
  name: string
  origin: () => string
  routes: readonly Route[]
}

/** What the answers to paths that a host does not have say besides. */
export interface Surroundings {
  /** The hosts beside it. */
  hosts: readonly Served[]
  /** The paths of all hosts. */
  paths: () => readonly string[]
  /** Where the start page and the reference are. */
  generalOrigin: () => string
}

const NOT_FOUND = 404
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

/** A browser that goes to an address asks for a page; programs ask for JSON, or for anything. */
function asksForPage(request: RawRequest): boolean {
  const accept = headerOf(request, 'accept') ?? ''
  return (request.method === 'GET' || request.method === 'HEAD') && /\btext\/html\b/i.test(accept) && !/\bapplication\/json\b/i.test(accept)
}

const NOTHING_HERE = 'Nothing is at this address'

/** The page for somebody who came to a path that there is not. */
function missingPage(path: string, hint: string, origin: string): RawAnswer {
  const body = html`<h1>${NOTHING_HERE}</h1>
<p>No endpoint has this path on this host: <code>${path}</code></p>
${hint !== '' && html`<p>${hint}</p>`}
<p><a href="${origin}/docs">The reference</a> lists the endpoints. <a href="${origin}/">The start page</a> has the keys and the last calls.</p>`
  const answer = serializePage({ status: NOT_FOUND, title: NOTHING_HERE, body }, areas.pages.headers)
  return { ...answer, refused: { reason: [`No endpoint has this path on this host: ${path}`, hint].filter(Boolean).join('. ') } }
}

/** An answer to a path that a host does not have says which host has it, what to use instead, or which path is near. In a browser it is a page. */
export function explainingFallbacks(fallbacks: Fallbacks, around: Surroundings, { refusal: explain }: Explain): Fallbacks {
  const { hosts, paths, generalOrigin } = around
  const whereIs = createWhereIs(hosts)
  const known = lazy(() => [...new Set(paths().flatMap((path) => [path, xPathOf(path)]))])
  const nearestTo = (path: string) => didYouMeanPath(path, known()).trim()
  return {
    ...fallbacks,
    notFound(path: string, request?: RawRequest) {
      const where = whereIs(path)
      const instead = where === undefined ? whatInstead(path) : undefined
      const near = where === undefined && instead === undefined ? nearestTo(path) : ''
      const plain = instead === undefined ? fallbacks.notFound(path) : fallbacks.refused(path, 'not-found', instead)
      const isPage = request !== undefined && plain.status === NOT_FOUND && asksForPage(request)
      const answer = isPage ? missingPage(path, where ?? instead ?? near, generalOrigin()) : plain
      if (request && instead !== undefined) explain(answer, request, { reason: instead })
      else if (request && (where !== undefined || answer.status === FORBIDDEN))
        explain(answer, request, {
          reason: 'This host does not have the path.',
          more: () => [where ?? 'Another version of the path may exist: the advertising hosts serve /12/.'],
        })
      else if (request && near !== '') explain(answer, request, { reason: `There is no path ${path}. ${near}` })
      return answer
    },
  }
}
