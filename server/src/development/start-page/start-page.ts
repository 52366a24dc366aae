import { type Html, html } from '../../api/answer/html.ts'
import type { Page } from '../../api/answer/page.ts'

/** A row of a table: what it is, and its value. */
type Fact = readonly [name: string, value: Html | string]

/** An app with what a client needs. Its secrets are there only if they are the published ones of the demo seed. */
export interface ShownApp {
  id: string
  name: string
  consumerKey: string
  consumerSecret?: string | undefined
  oauth2ClientId?: string | undefined
  oauth2ClientSecret?: string | undefined
  /** Of its users, with the secrets. */
  tokens: { username: string; token: string; secret: string }[]
}

/** A call of a public host with its path and why it was refused; without its query, headers and bodies. */
export interface ShownCall {
  at: string
  method: string
  path: string
  status: number
  reason?: string | undefined
  explainUrl?: string | undefined
}

/** A delivery without what its callback answered. */
export interface ShownDelivery {
  at: string
  eventType: string
  webhookId: string
  state: string
  status: number | null
}

/** What runs where in a development server. */
export interface Runs {
  origins: { base_url: string; ads_base_url: string; ads_sandbox_base_url: string; operator_url: string }
  database: string
  dialect: string
  clock: string
}

/** What the start page shows of a development server beside what runs where. */
export interface StartFacts {
  /** The first ones, by id. */
  apps: readonly ShownApp[]
  usernames: readonly string[]
  hasMoreUsers: boolean
  /** Of the demo user who can sign in, where the demo seed is loaded. */
  login?: { username: string; password: string } | undefined
  /** Where the operator token is, in Markdown-free words. */
  operatorToken: Html
  /** Commands to paste; they read the operator token from its file. */
  commands?: string | undefined
  /** Latest first. */
  calls: readonly ShownCall[]
  deliveries: readonly ShownDelivery[]
}

const code = (text: string) => html`<code>${text}</code>`

const facts = (rows: readonly Fact[]): Html =>
  html`<table><tbody>${rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</tbody></table>`

const runs = ({ origins, database, dialect, clock }: Runs): Html =>
  facts([
    ['API', code(origins.base_url)],
    ['Advertising', html`${code(origins.ads_base_url)}, sandbox ${code(origins.ads_sandbox_base_url)}`],
    ['Operator', code(origins.operator_url)],
    ['Database', database],
    ['Dialect', code(dialect)],
    ['Clock', clock],
  ])

function keysOf({ id, consumerKey, consumerSecret, oauth2ClientId, oauth2ClientSecret, tokens }: ShownApp): Html {
  const hidden = html`<span class="soft">not shown; it was answered once, when the app was made</span>`
  return facts([
    ['App id', code(id)],
    ['Consumer key', code(consumerKey)],
    ['Consumer secret', consumerSecret ? code(consumerSecret) : hidden],
    ...(oauth2ClientId ? [['OAuth 2.0 client', code(oauth2ClientId)] as const] : []),
    ...(oauth2ClientSecret ? [['OAuth 2.0 secret', code(oauth2ClientSecret)] as const] : []),
    ...tokens.map(({ username, token, secret }) => [`Token of ${username}`, html`${code(token)} ${code(secret)}`] as const),
  ])
}

function keys({ apps, usernames, hasMoreUsers, login, operatorToken }: StartFacts): Html {
  const people =
    usernames.length > 0
      ? html`<p>Users: ${usernames.map((name, place) => html`${place > 0 && ', '}${code(name)}`)}${hasMoreUsers && ' and others'}.</p>`
      : false
  return html`<h2>Keys</h2>
${apps.map((app) => html`<h3>${app.name}</h3>${keysOf(app)}`)}
${apps.length === 0 && html`<p>There is no app. <code>npx postern apps create</code> makes one, and so does a seed.</p>`}
${people}
${login && html`<p>At the approval page sign in as ${code(login.username)} with the password ${code(login.password)}.</p>`}
<p>Operator token: ${operatorToken}</p>`
}

const paste = ({ commands }: StartFacts): Html | false =>
  commands !== undefined &&
  html`<h2>Paste</h2>
<p>Receive events in one terminal, and make one in another:</p>
<pre>npx postern listen
npx postern trigger dm.received --to ada --text Hello</pre>
<p>The same by hand, with a receiver that <code>npm run receive</code> starts in a clone: a token, a webhook, a subscription, an event.</p>
<pre>${commands}</pre>`

const call = ({ at, method, path, status, reason, explainUrl }: ShownCall): Html => html`<tr>
<th scope="row"><code>${method} ${path}</code></th>
<td data-label="Time">${at}</td>
<td data-label="Status">${status}</td>
<td data-label="Reason">${reason}${explainUrl && html` <a href="${explainUrl}">Why?</a>`}</td>
</tr>`

const delivery = ({ at, eventType, webhookId, state, status }: ShownDelivery): Html => html`<tr>
<th scope="row"><code>${eventType}</code></th>
<td data-label="Time">${at}</td>
<td data-label="Webhook"><code>${webhookId}</code></td>
<td data-label="State">${state}${status !== null && ` (${status})`}</td>
</tr>`

const table = (columns: readonly string[], rows: readonly Html[]): Html => html`<table>
<thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table>`

const happened = ({ calls, deliveries }: StartFacts): Html => html`<h2>Last calls</h2>
${calls.length > 0 ? table(['Call', 'Time', 'Status', 'Reason'], calls.map(call)) : html`<p class="soft">None yet.</p>`}
<h2>Last deliveries</h2>
${deliveries.length > 0 ? table(['Event', 'Time', 'Webhook', 'State'], deliveries.map(delivery)) : html`<p class="soft">None yet.</p>`}`

const OTHERS = html`<p>Keys and the last calls are shown on the machine where Postern runs, and to whoever sends the operator token:</p>
<pre>curl -H "Authorization: Bearer &lt;operator token&gt;" &lt;this address&gt;</pre>`

/** `GET /` of a development server: what runs where, and, unless it is for others, which keys, what to paste, what happened last. */
export const startPage = (running: Runs, shown: StartFacts | undefined): Page => ({
  title: 'Postern',
  body: html`<h1>Postern is running</h1>
<p><a href="${running.origins.operator_url}/console/">Console</a> · <a href="/docs">API reference</a> · <a href="/docs/events">Events</a> · <a href="/openapi.json">OpenAPI</a> · <a href="/readyz">Health</a></p>
<h2>Runs</h2>
${runs(running)}
${shown ? html`${keys(shown)}${paste(shown)}${happened(shown)}` : OTHERS}`,
})
