import { type BrowserCaller, formProof, newCookie, setCookie } from '../../access/browser-session.ts'
import { type Html, html } from '../../api/answer/html.ts'
import type { Page } from '../../api/answer/page.ts'
import type { Why } from '../../api/declare/why.ts'
import type { App } from '../../storage/apps.ts'
import type { User } from '../../storage/users.ts'
import { type ApprovalRequest, pageOf, subjectOf } from './approval-request.ts'
import { OUT_OF_BAND, placeOf, policySource } from './callbacks.ts'

const UNAUTHORIZED = 401

interface Approval {
  request: ApprovalRequest
  /** What the form proves that it was made for this browser. */
  proof: string
  /** Who is signed in; undefined asks for a username and password. */
  user: User | undefined
  /** What the username begins with. */
  screenName?: string
  /** Why the last try failed. */
  failure?: string
  status?: number
  cookie?: string
  headers?: Record<string, string>
}

const list = (kind: 'may' | 'not', items: readonly string[]) => html`<ul class="${kind}">
${items.map(
  (item) => html`<li>${item}</li>
`,
)}</ul>`

/** A name somebody chose; one that is written from right to left turns nothing around it. */
const named = (name: string): Html => html`<bdi>${name}</bdi>`

const whoIs = (request: ApprovalRequest, { name, username }: User): Html => html`<div class="who">
<span>Signed in as ${named(name)} @${username}</span>
<a href="${pageOf(request, { force_login: 'true' })}">Use another account</a>
</div>`

/** What was wrong stands below the fields and belongs to both: it does not tell which of them it was. */
function fields({ screenName = '', failure, status }: Approval): Html {
  const described = html`${failure ? html` aria-describedby="failure"` : ''}${status === UNAUTHORIZED ? html` aria-invalid="true"` : ''}`
  return html`<label>Username
<input name="username" value="${screenName}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="50" required${described}></label>
<label>Password
<input name="password" type="password" autocomplete="current-password" maxlength="500" required${described}${failure ? html` autofocus` : ''}></label>
${failure ? html`<p class="wrong" id="failure" role="alert">${failure}</p>` : ''}`
}

const hiddenFields = (values: Readonly<Record<string, string>>): readonly Html[] =>
  Object.entries(values).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">
`,
  )

const whereTo = (callback: string, { name }: App): Html =>
  callback === OUT_OF_BAND
    ? html`<p class="soft">If you allow it, you get a PIN to type into ${named(name)}.</p>`
    : html`<p class="soft">Either way you go back to ${placeOf(callback)}.</p>`

/** The page on which a user allows or denies an app what it asks for. */
export function approvalPage(approval: Approval): Page {
  const { request, proof, user, failure, status, cookie, headers } = approval
  const { app, callback, asked, not, path, fields: repeated } = request
  return {
    title: `${failure ? 'Error: ' : ''}Allow ${app.name}?`,
    status,
    cookie,
    headers,
    ...(failure !== undefined && { why: { reason: failure } }),
    formTargets: policySource(callback),
    body: html`<h1>Allow ${named(app.name)} to use your account?</h1>
${user ? whoIs(request, user) : ''}
<h2>It will be able to</h2>
${list('may', asked)}
<h2>It will not be able to</h2>
${list('not', not)}
<form method="post" action="${path}">
${hiddenFields({ ...repeated, proof })}
${user ? '' : fields(approval)}
<div class="choice">
<button class="main" name="decision" value="allow">${user ? 'Allow' : 'Sign in and allow'}</button>
<button name="decision" value="deny" formnovalidate>Deny</button>
</div>
</form>
${whereTo(callback, app)}`,
  }
}

/** The page that shows a PIN. */
export const pinPage = (app: App, pin: string, cookie?: string): Page => ({
  title: `The PIN for ${app.name}`,
  cookie,
  body: html`<h1>Type this PIN into ${named(app.name)}</h1>
<p class="pin">${pin}</p>
<p class="soft">It works once, and not for long. When you have typed it in you can close this page.</p>`,
})

export const deniedPage = (app: App): Page => ({
  title: 'Denied',
  body: html`<h1>You have denied ${named(app.name)}</h1>
<p>It has no access to your account. You can close this page.</p>`,
})

/** For a request token that was used, has expired, or never was. */
export const invalidTokenPage = (reason = 'The request token was decided a moment ago.'): Page => ({
  status: 403,
  why: { reason, more: () => ['POST /oauth/request_token gets a new one.'] },
  title: 'Whoa there!',
  body: html`<h1>Whoa there!</h1>
<p>The request token for this page is invalid: it may have been used already, or it has expired, because it is too old. Please go back to
the site or application that sent you here and try again; it was probably just a mistake.</p>`,
})

const CANNOT_ASK = 'This app cannot ask for access'

/** For a request that the app may not make: it says why, and more of it where everybody may know that. */
export const cannotAskPage = (says: string, why: Why, shown: readonly string[] = []): Page => ({
  status: 400,
  title: CANNOT_ASK,
  why,
  body: html`<h1>${CANNOT_ASK}</h1>
<p>${says} Please go back to the app and try again.</p>${shown.map(
    (sentence) => html`
<p class="soft">${sentence}</p>`,
  )}`,
})

/** Asks the browser's user. Whoever has no cookie yet gets one, with which the form proves where it was made. */
export function ask(
  caller: BrowserCaller,
  request: ApprovalRequest,
  more: Pick<Approval, 'user' | 'screenName' | 'failure' | 'status' | 'headers'>,
): Page {
  const cookie = caller.cookie ?? newCookie()
  return approvalPage({
    request,
    ...more,
    proof: formProof(cookie, subjectOf(request)),
    cookie: caller.cookie === undefined ? setCookie(caller.client, cookie) : undefined,
  })
}
