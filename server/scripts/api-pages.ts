import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { declaredLimits, describeLimit } from '../src/access/rate-limits.ts'
import { type Dialect, dialects } from '../src/api/declare/dialect.ts'
import type { Endpoint } from '../src/api/declare/endpoint.ts'
import { openApi } from '../src/api/openapi.ts'
import { describe } from '../src/endpoints/description/describe.ts'
import { allEndpoints } from './all-endpoints.ts'

const sayDeclaredLimit = describeLimit(declaredLimits)

/** Where a development server is. */
const servers = {
  base_url: 'http://127.0.0.1:4000',
  ads_base_url: 'http://127.0.0.1:4001',
  ads_sandbox_base_url: 'http://127.0.0.1:4002',
}

/** The OpenAPI 3.1 description of every endpoint and event, as a development server answers it at `/openapi.json`. */
export const printedDescription = (dialect: Dialect): string =>
  `${JSON.stringify(openApi(describe(allEndpoints, dialect), dialect, servers, sayDeclaredLimit), null, 2)}\n`

/** Writes `dist/openapi.json`, for tools that read a file; git ignores it. */
export function writeDescription() {
  const dist = join(import.meta.dirname, '../../dist')
  mkdirSync(dist, { recursive: true })
  writeFileSync(join(dist, 'openapi.json'), printedDescription(dialects.spec))
}

const endpointRow = (endpoint: Endpoint) => {
  const { method, path, section, summary, auth, sandboxOnly } = endpoint
  return `| \`${method} ${path.replace(/:(\w+)/g, '{$1}')}\` | ${summary}${sandboxOnly ? ' Sandbox only.' : ''} | ${auth.name ?? 'none'} | ${sayDeclaredLimit(endpoint) ?? '–'} | ${section} |`
}

/** `docs/endpoints.md`. */
export const endpointPage = () =>
  `# Endpoints\n\nGenerated from \`server/src/endpoints/index.ts\` and \`server/src/development/endpoints.ts\`. Parameters, limits, errors and examples of each are at \`/docs\` of a running server, and in its OpenAPI description, \`/openapi.json\`.\n\n| endpoint | what it does | credentials | limit | section |\n|---|---|---|---|---|\n${allEndpoints.map(endpointRow).join('\n')}\n`
