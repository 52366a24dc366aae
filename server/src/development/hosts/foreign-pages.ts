import { headerOf, pathOf, type RawRequest } from '../../api/declare/raw-request.ts'
import { createRouteFinder } from '../../api/http/route.ts'
import { consolePaths } from '../../console/console-pages.ts'

/** What anybody may read: it takes no credentials, and says the same whoever asks, or only what the browser shows to its user. */
export const openPaths: readonly string[] = [
  '/',
  '/openapi.json',
  '/docs',
  '/docs/:page',
  '/media/:media_key/:file',
  '/.well-known/:name',
  '/oauth/explanations/:explanation_id',
  ...consolePaths,
]

/** The pages where users sign in and decide. Pages of apps link to them; their forms have a proof of their own. */
export const approvalPaths: readonly string[] = ['/oauth/authorize', '/oauth/authenticate', '/i/oauth2/authorize', '/2/oauth2/authorize']

const finderOf = (paths: readonly string[]) =>
  createRouteFinder(paths.map((path) => ({ path, methods: [], bodyLimitBytes: 0, respond: () => Promise.reject(new Error(path)) })))

const isRead = ({ method }: RawRequest) => method === 'GET' || method === 'HEAD'

const MAX_QUOTE_LENGTH = 100

/** The name and port of an origin: `localhost:4000`. Undefined for `null` and for what is none. */
const hostOf = (origin: string) => (/^https?:\/\//i.test(origin) ? URL.parse(origin)?.host : undefined)

/**
 * Says why a request is refused that a page of another origin makes; undefined for any other. The secrets of the demo seed are published,
 * so that any page which a developer opens could call with them. Only browsers send the headers that this is known by, and no page can
 * change them. `origins`: those of this server.
 */
export function createPageCheck(origins: () => readonly string[]): (request: RawRequest) => string | undefined {
  const isOpen = finderOf(openPaths)
  const isApproval = finderOf(approvalPaths)

  /** The page that makes a call, for a message; undefined where it is one of this server, or no page. */
  function foreignPage(request: RawRequest): string | undefined {
    const [origin, site] = [headerOf(request, 'origin'), headerOf(request, 'sec-fetch-site')]
    if (site === 'cross-site')
      return origin === undefined || origin === 'null' ? 'of another site' : `of ${origin.slice(0, MAX_QUOTE_LENGTH)}`
    // A form of a page without referrers has the origin `null`; only the browser knows then that it is ours.
    if (origin === undefined || site === 'same-origin') return undefined
    const host = hostOf(origin)
    const isOurs = host !== undefined && (host === headerOf(request, 'host')?.toLowerCase() || origins().includes(origin))
    return isOurs ? undefined : `of the origin ${origin.slice(0, MAX_QUOTE_LENGTH)}`
  }

  const isAllowed = (request: RawRequest) => {
    const path = pathOf(request.target)
    if (isApproval(path)) return !isRead(request) || headerOf(request, 'sec-fetch-mode') === 'navigate'
    return isRead(request) && isOpen(path) !== undefined
  }

  return (request) => {
    const page = foreignPage(request)
    if (page === undefined || isAllowed(request)) return undefined
    return `A page ${page} makes this call, as the headers Origin and Sec-Fetch-Site say. In development such calls are refused whatever their credentials, because the secrets of the demo app are published, and any page could use them. Call from a program, or let the server of the page make the call.`
  }
}
