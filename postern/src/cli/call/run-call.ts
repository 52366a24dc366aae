import { STATUS_CODES } from 'node:http'
import type { Arguments, RunCommand } from '../command.ts'
import { bearerOf } from '../credentials/bearer.ts'
import { seededCredentials, tokenOf } from '../credentials/credentials.ts'
import { signRequest } from '../credentials/sign-request.ts'
import { writeExactJson } from '../exact-json.ts'
import { EXIT } from '../exit-codes.ts'
import { wrongUsage } from '../failure.ts'
import type { Output } from '../output.ts'
import type { Answer, Server } from '../server/server.ts'
import { type PlannedCall, planCall } from './plan-call.ts'

const REDIRECT = 300

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Where the advertising API is: `POSTERN_ADS_URL`, or the port after that of the general one. */
function adsUrlOf({ url }: Server, environment = process.env): string {
  const next = new URL(url)
  next.port = environment.POSTERN_ADS_PORT ?? String(Number(next.port) + 1)
  return environment.POSTERN_ADS_URL ?? next.origin
}

function addressOf(text: string, server: Server): URL {
  if (text.startsWith('/')) return new URL(text, text.startsWith('/12/') ? adsUrlOf(server) : server.url)
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text)
  throw wrongUsage(`${text} is neither a URL nor a path such as /2/users/me.`)
}

/** The Authorization header: of the app, or signed on behalf of a user. */
async function authorize(given: Arguments, { method, url, form }: PlannedCall, server: Server): Promise<string> {
  const credentials = await seededCredentials(given)
  const { app } = credentials
  if (given.options['as-app']) return bearerOf(server, app)
  const { oauth_token: token, oauth_token_secret: tokenSecret } = tokenOf(credentials, given.options.as as string | undefined)
  return signRequest({ method, url: url.href, form, consumerKey: app.key, consumerSecret: app.secret, token, tokenSecret })
}

function show({ status, headers, text, body }: Answer, out: Output): number {
  const isDone = status < REDIRECT
  const explained = headers.get('x-postern-explain')
  if (!isDone) process.stderr.write(`${status} ${STATUS_CODES[status] ?? ''}${explained ? `, explained at ${explained}` : ''}\n`)
  out.show(body ?? text, () => [body === undefined ? text : writeExactJson(body, 2)])
  return isDone ? EXIT.done : EXIT.refused
}

/** Calls an endpoint as a user or an app of the seed, and prints the answer. */
export const runCall: RunCommand = async (given, { out, server }) => {
  const [method, address, ...parameters] = given.positionals
  if (!METHODS.includes(method!)) throw wrongUsage(`<method> is one of ${METHODS.join('|')}, and not ${method}.`)
  const planned = await planCall({ method: method!, url: addressOf(address!, server), parameters })
  const authorization = await authorize(given, planned, server)
  const type: Record<string, string> = planned.json === undefined ? {} : { 'content-type': 'application/json' }
  const { url, json, form, multipart } = planned
  const body = json ?? multipart ?? (form && new URLSearchParams(form.map(([name, value]) => [name, value])))
  return show(await server.send({ method: method!, url: url.href, headers: { authorization, ...type }, body }), out)
}
