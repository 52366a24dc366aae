import { areas } from '../../api/areas.ts'
import { dialects } from '../../api/declare/dialect.ts'
import type { Endpoint, Method } from '../../api/declare/endpoint.ts'
import type { Listed } from '../../api/declare/map.ts'
import { type ErrorDetail, forbidden, invalidRequest, Problem } from '../../api/declare/problem.ts'
import { compileReader } from '../../api/read/reader.ts'
import { generalEndpoints } from '../../endpoints/index.ts'
import type { App } from '../../storage/apps.ts'
import type { User } from '../../storage/users.ts'

export type Route = `${Method} /${string}`

/** Parameters by their declared names. */
export type Sent = Readonly<Record<string, unknown>>

/** What a call answered. */
export type CallAnswer = Readonly<Record<string, unknown>>

/** Whom a call is made by, and what with. */
export interface Calling {
  app: App
  user: User
  /** What endpoints are given. */
  services: unknown
  /** The parameter of the call that the text of the trigger is. */
  textAs?: string
}

/** How a user is named in sentences. */
export const nameOf = ({ username, id }: Pick<User, 'username' | 'id'>) => `@${username} (user ${id})`

/** The endpoint of a route. Its parameters come as JSON, as those of the trigger do, so that errors say what is wrong in the same words. */
async function endpointAt(route: Route): Promise<Endpoint> {
  const [method, path] = route.split(' ')
  const listed = (generalEndpoints as readonly Listed<never>[]).find((one) => one.method === method && one.path === path)
  if (!listed) throw new Error(`there is no endpoint ${route}`)
  const endpoint = (await listed.load()) as Endpoint
  return endpoint.place === 'form' ? { ...endpoint, place: 'body' } : endpoint
}

/** The request that a client would send, so that its parameters are read and judged as such. */
function requestOf({ method, path, pathNames, place }: Endpoint, sent: Sent) {
  const pathParams = Object.fromEntries(pathNames.map((name) => [name, String(sent[name])]))
  const rest = Object.fromEntries(Object.entries(sent).filter(([name]) => !pathNames.includes(name)))
  const hasBody = place === 'body'
  return {
    method,
    target: path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(pathParams[name]!)),
    query: '',
    pathParams,
    headers: hasBody ? { 'content-type': 'application/json' } : {},
    body: hasBody ? Buffer.from(JSON.stringify(rest)) : null,
    remoteAddress: '127.0.0.1',
  }
}

/** Names a parameter of the call as the trigger has it. */
const asTriggered =
  (textAs: string | undefined) =>
  ({ message, parameters, ...error }: ErrorDetail): ErrorDetail => {
    const renamed = textAs === undefined ? message : message.replace(`$.${textAs}:`, '$.text:').replaceAll(`\`${textAs}\``, '`text`')
    const named = Object.entries(parameters ?? {}).map(([name, values]) => [name === textAs ? 'text' : name, values])
    return { ...error, message: renamed, ...(parameters && { parameters: Object.fromEntries(named) }) }
  }

/** A refusal as the endpoint gives it, with who was refused what. A numeric code is part of the sentence: operators have no codes. */
function namingUser(problem: Problem, route: Route, { user, textAs }: Calling): Problem {
  const { detail = problem.message, errors, ...members } = problem.members
  const code = problem.code === undefined ? '' : ` (code ${problem.code})`
  const said = `${detail}${code} ${nameOf(user)} was refused ${route}.`
  return new Problem(problem.kind, { ...members, detail: said, ...(errors && { errors: errors.map(asTriggered(textAs)) }) })
}

/** Performs a declared endpoint on behalf of a user, as if the user had called it. Throws its refusal, which names the user. */
export async function callAsUser(route: Route, sent: Sent, calling: Calling): Promise<CallAnswer> {
  const { app, user, services } = calling
  const endpoint = await endpointAt(route)
  const request = requestOf(endpoint, sent)
  const caller = { app, user, token: '', access: 'read_write_dm' as const, rateKey: `user:${app.id}:${user.id}` }
  try {
    // Who is suspended is refused before an endpoint is asked.
    if (user.disabled) throw forbidden('The user is suspended.')
    const { params, deferred } = await compileReader(endpoint, areas.operator.parameters, dialects.spec)(request, caller)
    const call = {
      params,
      deferred,
      caller,
      request,
      headers: {},
      received: undefined,
      noteInAudit: () => undefined,
      giveWay: () => undefined,
    }
    return (await endpoint.handle(call as Parameters<Endpoint['handle']>[0], services as never)) as CallAnswer
  } catch (error) {
    throw error instanceof Problem ? namingUser(error, route, calling) : error
  }
}

/** 409 for what has happened already, so that it cannot happen once more. */
export const alreadySo = (detail: string) => new Problem('conflict', { detail })

/** 400 for one parameter of the trigger. */
export const wrongParameter = (name: string, value: string, rule: string) =>
  invalidRequest([{ message: `$.${name}: ${rule}`, parameters: { [name]: [value] } }])
