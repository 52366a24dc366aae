import { type BrowserCaller, browser } from '../../access/browser-session.ts'
import { type ClientOriginOf, isShownTo } from '../../access/client-origin.ts'
import type { Page, Redirect } from '../../api/answer/page.ts'
import type { Dialect } from '../../api/declare/dialect.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import type { RawRequest } from '../../api/declare/raw-request.ts'
import { anything } from '../../api/declare/words.ts'
import { ask } from './approval-page.ts'
import { withForcedLogin } from './approval-request.ts'
import { type AuthorizationServices, authorizationWords, findAuthorization, namedBy } from './authorization-request.ts'
import { DECISION_DESCRIPTION, type DecisionServices, decide, decisionWords, forcedLoginWords } from './decide.ts'

/** More than other endpoints allow: many people may be behind one address. */
const PAGES = 900

interface Services extends Omit<AuthorizationServices, 'isExplained'> {
  development: boolean
  originOf: ClientOriginOf
  dialect: Dialect
}

/** Who answers (RFC 9207). The dialect `x` leaves it out as its service does: clients that know that service refuse an issuer they do not expect. */
const issuerOf = (request: RawRequest, { originOf, dialect }: Services): string | undefined =>
  dialect.name === 'spec' ? originOf(request).origins[0] : undefined

/** In development a browser on this machine is told what is registered. */
const explaining = (services: Services, { client }: BrowserCaller) => ({
  ...services,
  isExplained: services.development && isShownTo(client),
})

const answer = anything<Page | Redirect>()

const DESCRIPTION =
  'HTML for a browser; it needs no script. After Allow the browser goes to `redirect_uri` with `state` and `code`, after Deny with `error=access_denied`; with `iss`, the origin of this server, but in the dialect `x`. Any error of the request goes there too, but for a wrong `client_id` or `redirect_uri`, which is answered with 400. The page is always shown, also to a user who has allowed the app before.'

const authorizationPage = (name: string, path: `/${string}`) =>
  endpoint({
    name,
    route: `GET ${path}`,
    section: '§5',
    summary: 'Show the page where a user allows or denies an app what it asks for (OAuth 2.0).',
    description: DESCRIPTION,
    auth: browser,
    rateLimit: PAGES,
    params: { ...authorizationWords, ...forcedLoginWords },
    answer,
    async handle({ params: { force_login, ...sent }, caller, request }, services: Services) {
      const found = await findAuthorization(path, sent, issuerOf(request, services), explaining(services, caller))
      return 'refusal' in found
        ? found.refusal
        : ask(caller, withForcedLogin(found, force_login), { user: force_login ? undefined : caller.user })
    },
  })

const authorizationDecision = (name: string, path: `/${string}`) =>
  endpoint({
    name,
    route: `POST ${path}`,
    section: '§5',
    summary: 'Submit the approval form of OAuth 2.0.',
    description: DECISION_DESCRIPTION,
    auth: browser,
    rateLimit: 450,
    params: { ...authorizationWords, ...forcedLoginWords, ...decisionWords },
    answer,
    handle(
      { params: { proof, decision, username, password, force_login, ...sent }, caller, request },
      services: Services & DecisionServices,
    ) {
      const find = () => findAuthorization(path, sent, issuerOf(request, services), explaining(services, caller))
      return decide(withForcedLogin(namedBy(path, sent), force_login), find, { proof, decision, username, password }, caller, services)
    },
  })

export const authorizeUser = authorizationPage('authorizeUser', '/2/oauth2/authorize')
export const decideAuthorization = authorizationDecision('decideAuthorization', '/2/oauth2/authorize')

/** The same where clients send the browser (public practice). */
export const authorizeUserPage = authorizationPage('authorizeUserPage', '/i/oauth2/authorize')
export const decideAuthorizationPage = authorizationDecision('decideAuthorizationPage', '/i/oauth2/authorize')
