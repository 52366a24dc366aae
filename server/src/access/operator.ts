import type { Auth, Caller } from '../api/declare/auth.ts'
import { because, invalidRequest, Problem } from '../api/declare/problem.ts'
import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'
import type { App } from '../storage/apps.ts'
import type { ReplayJobStore } from '../storage/replay-jobs.ts'
import type { WebhookStore } from '../storage/webhooks.ts'
import type { ClientOriginOf } from './client-origin.ts'
import type { FailedAttempts } from './failed-attempts.ts'
import type { Operator, OperatorOf } from './operator-of.ts'
import { assertFromConsole, type OperatorSessions } from './operator-sessions.ts'
import type { Portals } from './portals.ts'
import { schemeAndCredentials } from './sent-credentials.ts'

/** `app` is set where the portal of an app calls: the call is about nothing else then. */
export interface OperatorCaller extends Caller {
  operator: Operator
}

export interface OperatorServices {
  /** Undefined without a configured token. */
  operatorOf: OperatorOf | undefined
  /** Those of browsers that show the console. */
  operatorSessions: OperatorSessions
  portals: Portals
  originOf: ClientOriginOf
  /** Limits wrong tokens by address. The right one is served from anywhere. */
  failedAttempts: FailedAttempts
}

const onlyReads = ({ method }: RawRequest) => method === 'GET' || method === 'HEAD'

const mayOnlyRead = (caller: OperatorCaller, { method }: RawRequest) =>
  Object.assign(
    new Problem('forbidden', { detail: `This operator token has the role read, which allows GET; ${method} needs the role operate.` }),
    { caller },
  )

const WRONG_TOKEN = 'This is not an operator token of this server.'

const unauthorized = (isTokenSent: boolean) =>
  new Problem(
    'unauthorized',
    { detail: isTokenSent ? WRONG_TOKEN : 'Operator endpoints need `Authorization: Bearer <operator token>`.' },
    { headers: { 'www-authenticate': `Bearer realm="postern operator"${isTokenSent ? ', error="invalid_token"' : ''}` } },
  )

const WHERE = [
  'In development it is made at the first start: `.postern/operator-token` in the folder of the server has it, unless POSTERN_OPERATOR_TOKEN or POSTERN_OPERATOR_TOKENS says another.',
  'Paste: -H "Authorization: Bearer $(cat .postern/operator-token)"',
]

function whyRefused(scheme: string, token: string): string {
  if (scheme === '') return 'The request has no operator token.'
  if (scheme !== 'bearer') return 'The Authorization header is not `Bearer <operator token>`.'
  return token === '' ? 'The Authorization header is `Bearer` without a token.' : WRONG_TOKEN
}

/** The operator whose token a request carries, and the token. Throws for a missing or wrong one, which counts. */
async function byToken(request: RawRequest, { operatorOf, originOf, failedAttempts }: OperatorServices) {
  if (operatorOf === undefined) throw new Problem('not-found')
  const [scheme, token] = schemeAndCredentials(headerOf(request, 'authorization'))
  const found = operatorOf(token)
  if (scheme !== 'bearer' || !found)
    throw await failedAttempts.refusal(
      { kind: 'operator_token', address: originOf(request).address },
      because(unauthorized(scheme === 'bearer' && token !== ''), whyRefused(scheme, token), () => WHERE),
    )
  return { operator: found, token }
}

/** The operator whose session a request of the console carries, where it carries no token. */
function bySession(request: RawRequest, { operatorOf, operatorSessions, originOf }: OperatorServices): Operator | undefined {
  if (operatorOf === undefined || headerOf(request, 'authorization') !== undefined) return undefined
  const session = operatorSessions.of(request)
  if (session) assertFromConsole(request, originOf(request))
  return session?.operator
}

/** The app whose portal a request of the console comes from. */
async function byPortal(request: RawRequest, { operatorOf, operatorSessions, portals, originOf }: OperatorServices) {
  if (operatorOf === undefined || headerOf(request, 'authorization') !== undefined) return undefined
  const claim = operatorSessions.portalOf(request)
  const app = claim && (await portals.appOf(claim))
  if (app) assertFromConsole(request, originOf(request))
  return app
}

const callerOf = (found: Operator): OperatorCaller => ({ operator: found, rateKey: 'operator' })

async function anOperator(request: RawRequest, services: OperatorServices): Promise<OperatorCaller> {
  const found = bySession(request, services) ?? (await byToken(request, services)).operator
  const caller = callerOf(found)
  if (found.role === 'read' && !onlyReads(request)) throw mayOnlyRead(caller, request)
  return caller
}

/**
 * Authenticates an operator by an operator token, or the console by the session that it began with one. Without a configured token the
 * operator endpoints do not exist.
 */
export const operator: Auth<OperatorCaller, OperatorServices> = {
  name: 'operatorToken',
  scheme: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An operator token (`POSTERN_OPERATOR_TOKEN` or one of `POSTERN_OPERATOR_TOKENS`). A token with the role `read` allows only GET.',
  },
  async authenticate(request, services) {
    // To a portal there is nothing but what says that it may be called by one.
    if (await byPortal(request, services)) throw new Problem('not-found')
    return anOperator(request, services)
  },
}

/** How the audit log names the portal of an app. No name of a token has a colon. */
const portalCaller = ({ id }: App, request: RawRequest): OperatorCaller => ({
  operator: { name: `portal:${id}`, role: 'operate' },
  app: { id },
  rateKey: `portal:${id}`,
  countedBy: onlyReads(request) ? 'portalReads' : 'portalActs',
})

/** Throws `not-found`, as for what does not exist, where a portal names what is not its app's. */
type AssertOwn = (id: string, appId: string, services: OwnServices) => Promise<void>

interface OwnServices {
  webhooks: Pick<WebhookStore, 'byId'>
  replayJobs: Pick<ReplayJobStore, 'byId'>
}

const noSuch = (what: string, id: string) => new Problem('not-found', { detail: `There is no ${what} ${id}.` })

const owners = {
  app: async (id, appId) => {
    if (id !== appId) throw noSuch('app', id)
  },
  webhook: async (id, appId, { webhooks }) => {
    if ((await webhooks.byId(id))?.appId !== appId) throw noSuch('webhook', id)
  },
  replay: async (id, appId, { replayJobs }) => {
    if ((await replayJobs.byId(id))?.appId !== appId) throw noSuch('replay job', id)
  },
} satisfies Record<string, AssertOwn>

/**
 * Each parameter that a portal may send, and whose id of its app it must be. It must send such an id, unless there is a `?`: then the handler
 * narrows what it does to the app. `any` is no id of these, or the handler looks whose it is.
 */
export type PortalParams = Readonly<Record<string, keyof typeof owners | `${keyof typeof owners}?` | 'any'>>

const needsId = (name: string) =>
  invalidRequest([{ message: `$.${name}: the portal of an app must send it`, parameters: { [name]: [''] } }])

/** Throws for parameters that a portal may not send, or must. */
async function assertOwnParams(declared: PortalParams, params: Record<string, unknown>, appId: string, services: OwnServices) {
  for (const [name, owner] of Object.entries(declared)) {
    if (owner === 'any') continue
    const id = params[name] as string | undefined
    if (id !== undefined) await owners[owner.replace('?', '') as keyof typeof owners](id, appId, services)
    else if (!owner.endsWith('?')) throw needsId(name)
  }
  const refused = Object.keys(params).filter((name) => params[name] !== undefined && !Object.hasOwn(declared, name))
  if (refused.length > 0)
    throw new Problem('forbidden', { detail: `The portal of an app may not send ${refused.join(', ')} here: only operators may.` })
}

/**
 * An operator, or the portal of an app, which may send these parameters. A handler that lists something narrows the list to `caller.app`
 * where that is set.
 */
export const operatorOrPortal = (portal: PortalParams): Auth<OperatorCaller, OperatorServices & OwnServices> => ({
  ...operator,
  portal,
  async authenticate(request, services) {
    const app = await byPortal(request, services)
    return app ? portalCaller(app, request) : anOperator(request, services)
  },
  async assertMaySend(params, { app }, services) {
    if (app) await assertOwnParams(portal, params, app.id, services)
  },
})

/** An operator whose token begins a session of the console. A token that only reads begins one that only reads. */
export const operatorSigningIn: Auth<OperatorCaller & { token: string }, OperatorServices> = {
  ...operator,
  async authenticate(request, services) {
    const found = await byToken(request, services)
    return { ...callerOf(found.operator), token: found.token }
  },
}
