import { openAsBlob } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { basename } from 'node:path'
import { didYouMeanPath } from '../../../../server/src/lib/nearest.ts'
import { findPostern, isRealHost } from '../../take-over/run/find-postern.ts'
import type { Arguments, RunCommand } from '../command.ts'
import { bearerOf, seededCredentials, tokenOf } from '../credentials/credentials.ts'
import { signRequest } from '../credentials/sign-request.ts'
import { readExactJson, writeExactJson } from '../exact-json.ts'
import { EXIT, Failure, wrongUsage } from '../failure.ts'
import type { Output } from '../output.ts'
import { nameAndValue } from '../read-values.ts'
import type { Answer, Server } from '../server.ts'

type Parameter = readonly [name: string, value: string]

/** A request as it is sent: at most one of `json`, `form` and `multipart`. */
interface PlannedCall {
  method: string
  /** With the query. */
  url: URL
  json?: string
  form?: readonly Parameter[]
  multipart?: FormData
}

/** A value of a JSON body: a text, unless it is spelled as something else. Ids stay texts, and numbers in objects and lists as they are written. */
function jsonValue(value: string): unknown {
  try {
    return /^(true|false|[[{].*)$/s.test(value) ? readExactJson(value) : value
  } catch {
    throw wrongUsage(`${value} is not JSON.`)
  }
}

/** A file, which is read when it is sent. For some errors `openAsBlob` throws at once, instead of rejecting. */
async function fileAt(path: string): Promise<Blob> {
  try {
    return await openAsBlob(path)
  } catch (error) {
    throw new Failure(`The file ${path} cannot be read: ${(error as Error).message}`)
  }
}

/** Whether a parameter is a file: `@` and its path, under the name that files have. Texts begin with `@` where they mention a user. */
const isFile = ([name, value]: Parameter) => name === 'media' && value.startsWith('@')

/** A multipart body with the parameters. */
async function multipartOf(parameters: readonly Parameter[]): Promise<FormData> {
  const form = new FormData()
  for (const parameter of parameters) {
    const [name, value] = parameter
    if (isFile(parameter)) form.append(name, await fileAt(value.slice(1)), basename(value.slice(1)))
    else form.append(name, value)
  }
  return form
}

interface WantedCall {
  method: string
  url: URL
  /** `name=value` each; one that begins with `{` or `[` is the body as it is. */
  parameters: readonly string[]
}

const isBody = (parameter: string) => /^\s*[[{]/.test(parameter)

/** Where the parameters of a call go: the query, JSON, a form or a multipart body. */
async function planCall({ method, url, parameters }: WantedCall): Promise<PlannedCall> {
  const [json, another] = parameters.filter(isBody)
  if (another !== undefined) throw wrongUsage('A call has one body.')
  if (json !== undefined && method === 'GET') throw wrongUsage(`A GET has no body, and ${json} is one: its parameters are name=value.`)
  const pairs = parameters.filter((parameter) => !isBody(parameter)).map(nameAndValue)
  const hasBody = method !== 'GET' && method !== 'DELETE'
  if (!hasBody || json !== undefined) {
    for (const [name, value] of pairs) url.searchParams.append(name, value)
    return { method, url, json }
  }
  if (pairs.some(isFile)) return { method, url, multipart: await multipartOf(pairs) }
  if (!/^\/(2|operator)\//.test(url.pathname)) return { method, url, form: pairs }
  return { method, url, json: writeExactJson(Object.fromEntries(pairs.map(([name, value]) => [name, jsonValue(value)]))) }
}

const NOT_FOUND = 404

/** A sentence with the path that was probably meant, after a call to a path that the server does not have. */
async function pathMeant({ status }: Answer, { hostname, pathname }: URL, server: Server): Promise<string[]> {
  if (status !== NOT_FOUND || hostname !== new URL(server.url).hostname) return []
  const described = await server.send({ method: 'GET', url: new URL('/openapi.json', server.url).href }).catch(() => undefined)
  const meant = didYouMeanPath(pathname, Object.keys(described?.body?.paths ?? {}))
  return meant === '' ? [] : [`There is no path ${pathname}.${meant}`]
}

const REDIRECT = 300

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Where the advertising API is: what a server in development says itself, else the port after that of the general API. */
async function adsUrlOf({ url }: Server): Promise<string> {
  const found = await findPostern(url)
  const next = new URL(url)
  next.port = String(Number(next.port) + 1)
  return found?.hosts['ads-api.x.com'] ?? next.origin
}

async function addressOf(text: string, server: Server): Promise<URL> {
  if (text.startsWith('/')) return new URL(text, text.startsWith('/12/') ? await adsUrlOf(server) : server.url)
  const url = URL.parse(text)
  if (url && isRealHost(url.hostname))
    throw wrongUsage(
      `\`postern call\` calls a Postern, and ${url.origin} is the real service: name the path ${url.pathname}${url.search}, which is called at --url.`,
    )
  if (url && /^https?:$/.test(url.protocol)) return url
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

const EXPLAINED_WITHIN_MS = 3000

/**
 * Why a call was refused, where the server says so: the address of the explanation and its sentences. The server may call itself by another
 * address than this command does, in a container for one. An explanation that cannot be fetched keeps nobody from the answer.
 */
async function explanationOf({ headers }: Answer, server: Server): Promise<string[]> {
  const told = headers.get('x-postern-explain')
  if (told === null) return []
  const url = `${server.url}/oauth/explanations/${told.split('/').at(-1)}`
  const asked = { method: 'GET', url, headers: { accept: 'application/json' }, timeoutMs: EXPLAINED_WITHIN_MS }
  const explained = await server.sendAsOperator(asked).catch(() => undefined)
  const sentences: string[] | undefined = explained?.body?.data?.explanation
  return sentences === undefined ? [`explained at ${told}`] : [`explained at ${url}`, ...sentences]
}

async function show(answer: Answer, url: URL, out: Output, server: Server): Promise<number> {
  const { status, text, body } = answer
  const isDone = status < REDIRECT
  if (!isDone) {
    const why = [...(await pathMeant(answer, url, server)), ...(await explanationOf(answer, server))]
    process.stderr.write(`${[`${status} ${STATUS_CODES[status] ?? ''}`, ...why].join('\n')}\n`)
  }
  out.show(body ?? text, () => [body === undefined ? text : writeExactJson(body, 2)])
  return isDone ? EXIT.done : EXIT.refused
}

/** Calls an endpoint as a user or an app of the seed, and prints the answer. */
export const runCall: RunCommand = async (given, { out, server }) => {
  const [method, address, ...parameters] = given.positionals
  if (!METHODS.includes(method!)) throw wrongUsage(`<method> is one of ${METHODS.join('|')}, and not ${method}.`)
  const planned = await planCall({ method: method!, url: await addressOf(address!, server), parameters })
  const authorization = await authorize(given, planned, server)
  const type: Record<string, string> = planned.json === undefined ? {} : { 'content-type': 'application/json' }
  const { url, json, form, multipart } = planned
  const body = json ?? multipart ?? (form && new URLSearchParams(form.map(([name, value]) => [name, value])))
  const answer = await server.send({ method: method!, url: url.href, headers: { authorization, ...type }, body })
  return show(answer, url, out, server)
}
