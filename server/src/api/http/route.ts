import type { RawAnswer, RawRequest } from '../declare/raw-request.ts'

/** What is served at a path. */
export interface Route {
  /** With `:name` placeholders. */
  path: string
  /** The methods that are served; `respond` refuses any other. */
  methods: readonly string[]
  bodyLimitBytes: number
  /** Bodies other than forms, which signatures cover, are handed on unread. */
  streams?: boolean
  /** Checks a caller by the headers alone, before a large body is read; undefined lets it come. */
  refuseEarly?(request: RawRequest): Promise<RawAnswer | undefined>
  respond(request: RawRequest): Promise<RawAnswer>
}

/** Finds routes by path, for methods that they are not registered with: registering every method would be a tenth of a start. */
export function createRouteFinder(routes: readonly Route[]) {
  const placeholders = ({ path }: Route) => path.split(':').length
  const depth = (path: string) => path.replace(/\/$/, '').split('/').length
  const patterns = routes
    .toSorted((one, other) => placeholders(one) - placeholders(other))
    .map((route) => ({ route, pattern: new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}/?$`) }))
  /** A placeholder takes one part of a path, so only patterns with as many parts can match. */
  const byDepth = Map.groupBy(patterns, ({ route }) => depth(route.path))
  const allAt = (path: string) => (byDepth.get(depth(path)) ?? []).filter(({ pattern }) => pattern.test(path)).map(({ route }) => route)
  return {
    routeAt: (path: string) => allAt(path)[0],
    /** Whether a placeholder of another route takes this path too, as `/2/webhooks/:webhook_id` takes `/2/webhooks/replay`. */
    isInAnother: ({ path }: Route) => allAt(path).length > 1,
  }
}
