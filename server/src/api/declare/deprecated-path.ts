import { type Endpoint, pathNamesOf } from './endpoint.ts'

/** A moment as a structured field has it (RFC 9745): `@1774915200`. */
const fieldDate = (iso: string) => `@${Date.parse(iso) / 1000}`

/** A moment as HTTP writes it (RFC 8594): `Wed, 31 Mar 2027 00:00:00 GMT`. */
const httpDate = (iso: string) => new Date(iso).toUTCString()

function atDeprecatedPath<Declared extends Endpoint>(endpoint: Declared): Declared[] {
  const { deprecatedPath, name, method, path, summary } = endpoint
  if (deprecatedPath === undefined) return []
  const { path: formerPath, section, since, sunset } = deprecatedPath
  const headers = { deprecation: fieldDate(since), sunset: httpDate(sunset), link: `<${path}>; rel="successor-version"` }
  const deprecation = { headers, successor: `${method} ${path}` }
  return [
    {
      ...endpoint,
      name: `${name}AtDeprecatedPath`,
      ...{ path: formerPath, pathNames: pathNamesOf(formerPath), section, summary: `${summary.slice(0, -1)}, at its deprecated path.` },
      ...{ deprecatedPath: undefined, deprecation, isQueryRead: true },
    },
  ]
}

/** The endpoints, each followed by itself at its deprecated path, with which it shares the handler and the rate limit. */
export const withDeprecatedPaths = <Declared extends Endpoint>(endpoints: readonly Declared[]): Declared[] =>
  endpoints.flatMap((endpoint) => [endpoint, ...atDeprecatedPath(endpoint)])
