import assert from 'node:assert/strict'
import { developmentEndpoints, operatorEndpoints } from '../../scripts/all-endpoints.ts'
import type { Endpoint } from '../../src/api/declare/endpoint.ts'
import { call } from './call.ts'
import { OPERATOR_TOKEN, type Stage } from './postern.ts'

/** Every endpoint of the operator API, in development. */
export const operatorApi = ([...operatorEndpoints, ...developmentEndpoints] as unknown as readonly Endpoint[]).filter(
  ({ area }) => area === 'operator',
)

/** What the page of the console sends with every call, and the browser with it. */
export const FROM_CONSOLE = { 'x-postern-console': '1', 'sec-fetch-site': 'same-origin' }

/** The cookie that an answer sets, as a browser sends it back. */
export const cookieOf = (answer: { headers: Headers }) => (answer.headers.get('set-cookie') ?? '').split(';', 1)[0]!

/** The cookie of an operator's session. */
export async function signInToConsole(stage: Stage, token = OPERATOR_TOKEN): Promise<string> {
  const answer = await call(`${stage.origins.operator_url}/operator/session`, 'POST', { json: {}, token })
  assert.equal(answer.status, 200, answer.text)
  return cookieOf(answer)
}

/** The secret of a link to an app's portal. */
export async function portalToken(stage: Stage, appId: string): Promise<string> {
  const answer = await stage.operator('POST', `/operator/apps/${appId}/portal`)
  assert.equal(answer.status, 200, answer.text)
  return new URL(answer.body.data.url).hash.slice(1)
}

export const openPortal = (stage: Stage, token: string, headers: Record<string, string> = FROM_CONSOLE) =>
  call(`${stage.origins.operator_url}/operator/portal-session`, 'POST', { json: { token }, headers })

/** The cookie of a session of an app's portal. */
export async function signInToPortal(stage: Stage, appId: string): Promise<string> {
  const answer = await openPortal(stage, await portalToken(stage, appId))
  assert.equal(answer.status, 200, answer.text)
  return cookieOf(answer)
}

/** Calls as a page of the console does. */
export const asConsole = (stage: Stage, cookie: string) => (method: string, path: string, json?: unknown) =>
  call(stage.origins.operator_url + path, method, { headers: { cookie, ...FROM_CONSOLE }, json })

/** How an endpoint is called with these parameters. */
export function requestFor({ method, path, pathNames, place }: Endpoint, params: Record<string, unknown>) {
  const written = path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(params[name])))
  const rest = Object.fromEntries(Object.entries(params).filter(([name]) => !pathNames.includes(name)))
  if (place !== 'query') return { method, path: written, json: rest }
  const query = new URLSearchParams(Object.entries(rest).map(([name, value]) => [name, String(value)])).toString()
  return { method, path: query ? `${written}?${query}` : written, json: undefined }
}
