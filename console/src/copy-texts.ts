import type { Call, Server } from './server-types.ts'

/** What stands for a secret in a recorded call. */
const HIDDEN = '***'

type Scheme = 'bearer' | 'basic' | 'oauth' | undefined

/** The scheme of the credentials of a call, which are not kept. */
export const schemeOf = ({ request }: Call): Scheme =>
  (/^(bearer|basic|oauth)\b/i.exec(request.headers.authorization ?? '')?.[1]?.toLowerCase() as Scheme) ?? undefined

export const hasHidden = (text: string) => text.includes(HIDDEN)

/** A text as one word of a shell. */
export const quote = (text: string) => (/^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** Headers that a call is told by; the others are those of its client. */
const KEPT_HEADERS = ['accept', 'content-type']

const keptHeaders = ({ request: { headers, body } }: Call) =>
  KEPT_HEADERS.flatMap((name) => {
    const value = headers[name]
    return value === undefined || value === '*/*' || (name === 'content-type' && body === null) ? [] : [[name, value] as const]
  })

/** Where the call went, if that is this machine or the host of the console; else the console's own: a real host is not called by chance. */
function originOf({ host }: Call, here: URL): string {
  if (host === null || !URL.canParse(`${here.protocol}//${host}`)) return here.origin
  const there = new URL(`${here.protocol}//${host}`)
  return /^(localhost|127\.[\d.]+|\[::1\])$/.test(there.hostname) || there.hostname === here.hostname ? there.origin : here.origin
}

/** What of the server decides how a call is made again. */
type Served = Pick<Server, 'dialect' | 'ads_sandbox_base_url'>

/** Whether a call went to the sandbox of the advertising API: to its port, or to a name of it that clients have built in. */
const isOfSandbox = ({ host }: Call, { ads_sandbox_base_url: sandbox }: Served) =>
  host !== null && (host.startsWith('ads-api-sandbox.') || sandbox.endsWith(/:\d+$/.exec(host)?.[0] ?? `//${host}`))

const curlCredentials: Record<'bearer' | 'basic', string> = {
  bearer: '-H "authorization: Bearer $TOKEN"',
  basic: '-u "$KEY:$SECRET"',
}

/** The call for curl, with variables of the shell for its credentials; undefined for one that curl cannot sign. */
export function curlOf(call: Call, here: URL): string | undefined {
  const scheme = schemeOf(call)
  if (scheme === 'oauth') return undefined
  const { method, request } = call
  const parts = [
    `curl --globoff -X ${quote(method)} ${quote(originOf(call, here) + call.url)}`,
    ...(scheme ? [curlCredentials[scheme]] : []),
    ...keptHeaders(call).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(request.body === null ? [] : [`--data-raw ${quote(request.body)}`]),
  ]
  return parts.join(' \\\n  ')
}

const isJson = (body: string) => /^\s*[{[]/.test(body)

const parametersOf = (body: string | null): string[] => {
  if (body === null) return []
  return isJson(body) ? [body] : [...new URLSearchParams(body)].map(([name, value]) => `${name}=${value}`)
}

/** The call for `postern call`, which signs it with keys of the seed. */
export function commandOf(call: Call, served: Served): string {
  const as = call.user_id === null ? ['--as-app'] : ['--as', call.user_id]
  const url = isOfSandbox(call, served) ? served.ads_sandbox_base_url + call.url : call.url
  const words = [call.method, url, ...parametersOf(call.request.body)]
  // A parameter that begins with a minus sign would be an option.
  const all = words.some((word) => word.startsWith('-')) ? [...as, '--', ...words] : [...words, ...as]
  return ['npx postern call', ...all.map(quote)].join(' ')
}

/** A text of TypeScript. */
const literal = (text: string) =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'").replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`

/** A place in a template string of the test. */
const slot = (code: string) => `\${${code}}`

const authorizations: Record<'bearer' | 'basic', string> = {
  bearer: `\`Bearer ${slot('await postern.app.bearerToken()')}\``,
  basic: `\`Basic ${slot(`btoa(\`${slot('postern.app.consumerKey')}:${slot('postern.app.consumerSecret')}\`)`)}\``,
}

/** The member of a server of the test that has the address of a host. */
const memberOf = (call: Call, served: Served) =>
  isOfSandbox(call, served) ? 'adsSandboxUrl' : /^\/\d\d\//.test(call.url) ? 'adsUrl' : 'url'

/** How a test sends the call: with `fetch`, or with a client where it is signed. */
function sending(call: Call, served: Served): string[] {
  const { method, request, user_id } = call
  const scheme = schemeOf(call)
  const body = request.body === null ? [] : [`    body: ${literal(request.body)},`]
  const signed = [
    `  // The call is signed with OAuth 1.0a, for user ${user_id}: add the header that your client makes of`,
    `  // postern.app.userCredentials(${literal(user_id ?? '')}).`,
  ]
  const authorization = scheme && scheme !== 'oauth' ? [`      authorization: ${authorizations[scheme]},`] : []
  const headers = [...authorization, ...keptHeaders(call).map(([name, value]) => `      ${literal(name)}: ${literal(value)},`)]
  return [
    ...(scheme === 'oauth' ? signed : []),
    `  const answer = await fetch(new URL(${literal(call.url)}, postern.${memberOf(call, served)}), {`,
    `    method: ${literal(method)},`,
    ...(headers.length > 0 ? ['    headers: {', ...headers, '    },'] : []),
    ...body,
    '  })',
  ]
}

/** The call as a test for node:test, on a server of its own. */
export function testOf(call: Call, served: Served): string {
  const path = call.url.split('?', 1)[0]!
  return [
    "import assert from 'node:assert/strict'",
    "import { test } from 'node:test'",
    "import { startPostern } from 'postern'",
    '',
    `test(${literal(`${call.method} ${path} answers ${call.status}`)}, async () => {`,
    `  await using postern = await startPostern(${served.dialect === 'x' ? "{ dialect: 'x' }" : ''})`,
    ...sending(call, served),
    `  assert.equal(answer.status, ${call.status})`,
    '})',
    '',
  ].join('\n')
}
