import { type OperatorServices, operatorSigningIn } from '../../access/operator.ts'
import { operatorRoles } from '../../access/operator-of.ts'
import { assertFromConsole, isBrowserHere, type OperatorSession } from '../../access/operator-sessions.ts'
import { noAuth } from '../../api/declare/auth.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { boolean, iso, nullable, object, oneOf, text, timestamp } from '../../api/declare/words.ts'
import { portalSchema, portalView } from './portal.ts'

const operatorSchema = object({
  name: nullable(text({ description: 'The name of the token; null for one without a name.' })),
  role: oneOf(operatorRoles),
  expires_at: timestamp(),
})

const sessionView = ({ operator: { name, role }, untilMs }: OperatorSession) => ({ name, role, expires_at: iso(untilMs) })

/** What answers of sessions are. */
export const sessionAnswer = object({ data: object({ operator: operatorSchema }) })

/** Sets the cookie of a session that has begun, and shows it. */
export function begun(session: OperatorSession & { setCookie: string }, headers: Record<string, string>) {
  headers['set-cookie'] = session.setCookie
  return { data: { operator: sessionView(session) } }
}

interface Services extends OperatorServices {
  development: boolean
}

export const getSession = endpoint({
  name: 'getSession',
  route: 'GET /operator/session',
  section: '§6',
  summary: 'Say whether a browser is signed in to the console.',
  description: 'It needs no credentials, and refuses nobody: the console asks it first.',
  auth: noAuth,
  params: {},
  answer: object({
    data: object({
      operator: nullable(operatorSchema),
      portal: nullable(portalSchema),
      needs_token: boolean({
        description: 'False for a browser of this machine in development, which may begin a session without a token.',
      }),
    }),
  }),
  async handle({ request }, { operatorOf, operatorSessions, portals, originOf, development }: Services) {
    if (operatorOf === undefined) throw new Problem('not-found')
    const session = operatorSessions.of(request)
    const claim = operatorSessions.portalOf(request)
    const app = claim && (await portals.appOf(claim))
    const needsToken = !development || !isBrowserHere(request, originOf(request))
    return {
      data: {
        operator: session ? sessionView(session) : null,
        portal: app ? portalView(app, claim!.untilMs) : null,
        needs_token: needsToken,
      },
    }
  },
})

export const createSession = endpoint({
  name: 'createSession',
  route: 'POST /operator/session',
  section: '§6',
  summary: 'Sign a browser in to the console.',
  description:
    'The operator token is sent once, as bearer token. The answer sets a cookie (HttpOnly, SameSite=Strict) that holds the session, sealed, for twelve hours; it ends sooner where the token is removed from the settings. Calls with the cookie also need the header `x-postern-console`, and must come from a page of this server. A token with the role `read` begins a session that only reads.',
  auth: operatorSigningIn,
  params: {},
  answer: sessionAnswer,
  async handle({ request, headers, caller: { token } }, { operatorSessions, originOf }: Services) {
    return begun(operatorSessions.begin(request, token, originOf(request)), headers)
  },
})

export const deleteSession = endpoint({
  name: 'deleteSession',
  route: 'DELETE /operator/session',
  section: '§6',
  summary: 'Sign a browser out of the console.',
  description: 'Its cookie is removed. It needs no credentials.',
  auth: noAuth,
  params: {},
  answer: object({ data: object({ signed_out: boolean() }) }),
  async handle({ request, headers }, { operatorSessions, originOf }: Services) {
    const isSignedIn = operatorSessions.of(request) !== undefined || operatorSessions.portalOf(request) !== undefined
    if (isSignedIn) assertFromConsole(request, originOf(request))
    headers['set-cookie'] = operatorSessions.end(request)
    return { data: { signed_out: isSignedIn } }
  },
})
