import { deprecationHeaders } from './deprecation-headers.ts'
import { type Endpoint, pathNamesOf } from './endpoint.ts'

function atDeprecatedPath<Declared extends Endpoint>(endpoint: Declared): Declared[] {
  const { deprecatedPath, name, method, path, summary } = endpoint
  if (deprecatedPath === undefined) return []
  const { path: formerPath, section } = deprecatedPath
  const headers = deprecationHeaders(deprecatedPath, `<${path}>; rel="successor-version"`)
  const deprecation = { headers, successor: `${method} ${path}` }
  return [
    {
      ...endpoint,
      name: `${name}AtDeprecatedPath`,
      path: formerPath,
      pathNames: pathNamesOf(formerPath),
      section,
      summary: `${summary.slice(0, -1)}, at its deprecated path.`,
      deprecatedPath: undefined,
      deprecation,
      isQueryRead: true,
    },
  ]
}

/** The endpoints, each followed by itself at its deprecated path, with which it shares the handler and the rate limit. */
export const withDeprecatedPaths = <Declared extends Endpoint>(endpoints: readonly Declared[]): Declared[] =>
  endpoints.flatMap((endpoint) => [endpoint, ...atDeprecatedPath(endpoint)])
