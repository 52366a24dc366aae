import { deprecationHeaders } from './deprecation-headers.ts'
import { type Endpoint, pathNamesOf } from './endpoint.ts'

/** An endpoint at its deprecated path, which shares the handler and the rate limit. @throws Error for an endpoint that declares none. */
export function atDeprecatedPath<Services>(endpoint: Endpoint<Services>): Endpoint<Services> {
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
