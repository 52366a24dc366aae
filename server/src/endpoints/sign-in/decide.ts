import { type BrowserCaller, isProven, newCookie, setCookie } from '../../access/browser-session.ts'
import type { Login, LoginRefusal, Logins } from '../../access/logins.ts'
import { retryAfter } from '../../access/rate-limits.ts'
import { html } from '../../api/answer/html.ts'
import type { Page, Redirect } from '../../api/answer/page.ts'
import { boolean, oneOf, optional, text } from '../../api/declare/words.ts'
import { HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import type { SessionStore, User } from '../../storage/users.ts'
import { ask } from './approval-page.ts'
import { type ApprovalRequest, isLoginForced, pageOf, subjectOf, withForcedLogin } from './approval-request.ts'

const SESSION_MS = 24 * HOUR_MS

export interface DecisionServices {
  sessions: SessionStore
  logins: Logins
  now: () => number
}

export const forcedLoginWords = {
  force_login: optional(boolean({ description: 'Ask for the password even if the browser has a session.' })),
}

/** What the approval form sends besides the name of its request. */
export const decisionWords = {
  proof: text({ max: 100, example: 'of the form' }),
  decision: oneOf(['allow', 'deny'], { example: 'deny' }),
  username: optional(text({ min: 0, max: 50, description: 'Required unless the browser has a session.' })),
  password: optional(text({ min: 0, max: 500, secret: true })),
}

export const DECISION_DESCRIPTION =
  'Only forms issued to the same browser are accepted (CSRF protection). Failed sign-ins are limited per address to 10 for each account and 50 in all in 15 minutes; an account under attack is slowed down for addresses from which its user has not signed in before. A session lasts 24 hours.'

interface Decision {
  proof: string
  decision: 'allow' | 'deny'
  username?: string
  password?: string
}

/** Why a form is not taken. */
function whyRefused({ cookie, isForeignForm }: BrowserCaller): string {
  if (isForeignForm) return 'A page of another origin sends the form, as the headers Origin and Sec-Fetch-Site say.'
  if (cookie === undefined) return 'The browser sent no session cookie, to which the form is bound.'
  return 'The form was made for another session or another request: its proof is not that of the session cookie.'
}

const refusedFormPage = (again: string, caller: BrowserCaller): Page => ({
  status: 403,
  why: {
    reason: whyRefused(caller),
    more: () => ['A test must keep the cookie that the page set, and send every hidden field of the form.'],
  },
  title: 'This form can no longer be used',
  body: html`<h1>This form can no longer be used</h1>
<p>It was made for another session, or your browser keeps no cookies for this site.
<a href="${again}">Begin again</a></p>`,
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

/** A session of its own for each login, so that nobody knows its id beforehand. Undefined when the user was changed since. */
async function beginSession(caller: BrowserCaller, user: User, { sessions, now }: DecisionServices): Promise<string | undefined> {
  const id = newCookie()
  if (caller.cookie !== undefined) await sessions.remove(caller.cookie)
  return (await sessions.insert(id, user, now() + SESSION_MS, now())) ? setCookie(caller.client, id) : undefined
}

async function logInAndAllow(caller: BrowserCaller, request: ApprovalRequest, login: Login, services: DecisionServices) {
  const askAgain = (refusal: LoginRefusal) =>
    ask(caller, request, { user: undefined, screenName: login.username, ...explain(refusal, services.now()) })
  const user = await services.logins(login)
  if (typeof user === 'string' || 'untilMs' in user) return askAgain(user)
  const cookie = await beginSession(caller, user, services)
  return (cookie !== undefined && (await request.allow(user, cookie))) || askAgain('wrong')
}

/**
 * Does what the user decided in the approval form. `named` is the request as the form names it; `find` looks it up, or answers the page that
 * says why there is none.
 */
export async function decide(
  named: Pick<ApprovalRequest, 'path' | 'fields'>,
  find: () => Promise<ApprovalRequest | { refusal: Page | Redirect }>,
  { proof, decision, username, password = '' }: Decision,
  caller: BrowserCaller,
  services: DecisionServices,
): Promise<Page | Redirect> {
  if (caller.isForeignForm || !isProven(caller.cookie, subjectOf(named), proof)) return refusedFormPage(pageOf(named), caller)
  const found = await find()
  if ('refusal' in found) return found.refusal
  const isForced = isLoginForced(named)
  const request = withForcedLogin(found, isForced)
  if (decision === 'deny') return request.deny()
  if (username !== undefined) return logInAndAllow(caller, request, { username, password, address: caller.client.address }, services)
  const allowed = !isForced && caller.user && (await request.allow(caller.user))
  return allowed || ask(caller, request, { user: undefined })
}
