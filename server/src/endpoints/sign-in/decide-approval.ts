import { type BrowserCaller, browser, isProven, newCookie, setCookie } from '../../access/browser-session.ts'
import { retryAfter } from '../../access/limit-headers.ts'
import type { Login, LoginRefusal, Logins } from '../../access/logins.ts'
import { html } from '../../api/answer/html.ts'
import type { Page, Redirect } from '../../api/answer/page.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { anything, oneOf, optional, text } from '../../api/declare/words.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import type { SessionStore } from '../../storage/sessions.ts'
import type { User } from '../../storage/users.ts'
import { deniedPage, invalidTokenPage } from './approval-page.ts'
import { type ApprovalServices, type Asked, ask, findAsked, grant } from './approve.ts'
import { OUT_OF_BAND, redirectUrl } from './callback-redirect.ts'

const SESSION_MS = 24 * HOUR_MS

interface Services extends ApprovalServices {
  sessions: SessionStore
  logins: Logins
}

const staleFormPage = (token: string): Page => ({
  status: 403,
  title: 'This form can no longer be used',
  body: html`<h1>This form can no longer be used</h1>
<p>It was made for another session, or your browser keeps no cookies for this site.
<a href="/oauth/authorize?${new URLSearchParams({ oauth_token: token }).toString()}">Begin again</a></p>`,
})

function inWords(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / MINUTE_MS))
  const hours = Math.ceil(ms / HOUR_MS)
  if (minutes > 60) return `${hours} hours`
  return minutes === 1 ? 'a minute' : `${minutes} minutes`
}

/** Why nobody was logged in, with its status. It says the same whether there is such a user or not. */
function explain(refusal: LoginRefusal, nowMs: number): { status: number; failure: string; headers?: Record<string, string> } {
  if (refusal === 'wrong') return { status: 401, failure: 'The username and password do not match.' }
  if (refusal === 'busy') return { status: 503, failure: 'Too many are signing in right now. Please try again in a moment.' }
  const { untilMs } = refusal
  const failure = `Too many failed sign-ins. Please try again in ${inWords(untilMs - nowMs)}.`
  return { status: 429, failure, headers: retryAfter(untilMs, nowMs) }
}

async function deny({ asked, app }: Asked, { requestTokens, now }: Services): Promise<Page | Redirect> {
  if (!(await requestTokens.deny(asked.token, now()))) return invalidTokenPage()
  return asked.callback === OUT_OF_BAND ? deniedPage(app) : { location: redirectUrl(asked.callback, { denied: asked.token }) }
}

/** A session of its own for each login, so that nobody knows its id beforehand. Undefined when the user was changed since. */
async function beginSession(caller: BrowserCaller, user: User, { sessions, now }: Services): Promise<string | undefined> {
  const id = newCookie()
  if (caller.cookie !== undefined) await sessions.remove(caller.cookie)
  return (await sessions.insert(id, user, now() + SESSION_MS, now())) ? setCookie(caller.client, id) : undefined
}

async function logInAndGrant(caller: BrowserCaller, found: Asked, login: Login, services: Services): Promise<Page | Redirect> {
  const askAgain = (refusal: LoginRefusal) =>
    ask(caller, found, { user: undefined, screenName: login.username, ...explain(refusal, services.now()) })
  const user = await services.logins(login)
  if (typeof user === 'string' || 'untilMs' in user) return askAgain(user)
  const cookie = await beginSession(caller, user, services)
  return cookie === undefined ? askAgain('wrong') : grant(found, user, services, cookie)
}

export const decideApproval = endpoint({
  name: 'decideApproval',
  route: 'POST /oauth/authorize',
  section: '§4.3',
  summary: 'Submit the approval form.',
  description:
    'Only forms issued to the same browser are accepted (CSRF protection). Failed sign-ins are limited per address to 10 for each account and 50 in all in 15 minutes; an account under attack is slowed down for addresses from which its user has not signed in before. A session lasts 24 hours.',
  auth: browser,
  rateLimit: 450,
  params: {
    oauth_token: text({ max: 100, example: 'NPcudxy0yU5T3tBzho7iCotZ3cnetKwcTIRlX0iwRl0' }),
    proof: text({ max: 100, example: 'of the form' }),
    decision: oneOf(['allow', 'deny'], { example: 'deny' }),
    username: optional(text({ min: 0, max: 50, description: 'Required unless the browser has a session.' })),
    password: optional(text({ min: 0, max: 500, secret: true })),
  },
  answer: anything<Page | Redirect>(),
  async handle({ params: { oauth_token, proof, decision, username, password = '' }, caller }, services: Services) {
    if (!isProven(caller.cookie, oauth_token, proof)) return staleFormPage(oauth_token)
    const found = await findAsked(oauth_token, services)
    if (!found) return invalidTokenPage()
    if (decision === 'deny') return deny(found, services)
    if (username !== undefined) return logInAndGrant(caller, found, { username, password, address: caller.client.address }, services)
    return caller.user ? grant(found, caller.user, services) : ask(caller, found, { user: undefined })
  },
})
