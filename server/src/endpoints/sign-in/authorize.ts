import { type BrowserCaller, browser } from '../../access/browser-session.ts'
import { type Page, type Redirect, refusalPage } from '../../api/answer/page.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { anything, optional, text } from '../../api/declare/words.ts'
import { cutText } from '../../lib/text.ts'
import { ask } from './approval-page.ts'
import { withForcedLogin } from './approval-request.ts'
import { type ApprovalServices, findAsked, namedByToken } from './approve.ts'
import { OUT_OF_BAND } from './callbacks.ts'
import { DECISION_DESCRIPTION, type DecisionServices, decide, decisionWords, forcedLoginWords } from './decide.ts'

const MAX_USERNAME_LENGTH = 50

/** More than other endpoints allow: many people may be behind one address. */
const PAGES = 900

const params = {
  oauth_token: optional(
    text({ min: 0, max: 100, description: 'Required: the request token.', example: 'NPcudxy0yU5T3tBzho7iCotZ3cnetKwcTIRlX0iwRl0' }),
  ),
  ...forcedLoginWords,
  screen_name: optional(text({ min: 0, description: 'Prefills the username field; truncated to its length.' })),
  oauth_callback: optional(text({ min: 0, description: 'Not allowed here: the callback is set with `POST /oauth/request_token`.' })),
}

interface Asking {
  oauth_token?: string
  force_login?: boolean
  screen_name?: string
  oauth_callback?: string
}

async function show(
  { oauth_token, force_login, screen_name, oauth_callback }: Asking,
  caller: BrowserCaller,
  services: ApprovalServices,
  skipsApproval: boolean,
): Promise<Page | Redirect> {
  if (oauth_callback !== undefined)
    return refusalPage(400, 'Invalid Request', 'oauth_callback must not be sent to this page: it belongs to the request token.')
  const found = await findAsked(oauth_token, services)
  if ('refusal' in found) return found.refusal
  const user = force_login ? undefined : caller.user
  const maySkip = skipsApproval && found.app.signInWithService && found.callback !== OUT_OF_BAND
  const goesBack = maySkip && user && (await found.isGranted(user))
  const allowed = goesBack ? await found.allow(user) : undefined
  return (
    allowed ??
    ask(caller, withForcedLogin(found, force_login), { user, screenName: screen_name && cutText(screen_name, MAX_USERNAME_LENGTH) })
  )
}

const answer = anything<Page | Redirect>()

export const authorize = endpoint({
  name: 'authorize',
  route: 'GET /oauth/authorize',
  section: '§4.3',
  summary: 'Show the page where a user allows or denies an app.',
  description:
    'HTML for a browser; it needs no script. After Allow the browser goes to the callback with `oauth_token` and `oauth_verifier`, after Deny with `denied`; with `oob` the page shows a PIN. A used, expired or unknown request token is answered with 403, one whose callback the app no longer has with 400.',
  auth: browser,
  rateLimit: PAGES,
  params,
  answer,
  handle: ({ params, caller }, services: ApprovalServices) => show(params, caller, services, false),
})

export const authenticate = endpoint({
  name: 'authenticate',
  route: 'GET /oauth/authenticate',
  section: '§4.3',
  summary: 'Like authorize, but skips the approval page for an app the user has already approved.',
  description:
    "Redirects back at once if the browser has a session, the app's sign-in setting is on, and the user has already granted the app at least this access. Otherwise, and whenever a PIN is asked for (`oob`), like `GET /oauth/authorize`.",
  auth: browser,
  rateLimit: PAGES,
  params,
  answer,
  /** A HEAD asks what a GET would answer, and must not use up the request token. */
  handle: ({ params, caller, request }, services: ApprovalServices) => show(params, caller, services, request.method === 'GET'),
})

export const decideApproval = endpoint({
  name: 'decideApproval',
  route: 'POST /oauth/authorize',
  section: '§4.3',
  summary: 'Submit the approval form.',
  description: DECISION_DESCRIPTION,
  auth: browser,
  rateLimit: 450,
  params: {
    oauth_token: text({ max: 100, example: 'NPcudxy0yU5T3tBzho7iCotZ3cnetKwcTIRlX0iwRl0' }),
    ...forcedLoginWords,
    ...decisionWords,
  },
  answer: anything<Page | Redirect>(),
  handle({ params: { oauth_token, force_login, ...decision }, caller }, services: ApprovalServices & DecisionServices) {
    const find = () => findAsked(oauth_token, services)
    return decide(withForcedLogin(namedByToken(oauth_token), force_login), find, decision, caller, services)
  },
})
