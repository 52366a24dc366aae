import { type Html, html } from '../../api/answer/html.ts'
import type { Page } from '../../api/answer/page.ts'
import type { Keys, ShownApp, ShownPerson } from './keys.ts'

/** A row of a table: what it is, and its value. */
type Fact = readonly [name: string, value: Html | string]

/** What runs where in a development server. */
export interface Runs {
  origins: { base_url: string; ads_base_url: string; ads_sandbox_base_url: string; operator_url: string }
  database: string
  dialect: string
  clock: string
}

/** What is told to this machine and to operators alone. */
export interface Told extends Keys {
  /** Where the operator token is. */
  operatorToken: Html
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

function keysOf({ id, consumerKey, consumerSecret, oauth2ClientId, oauth2ClientSecret }: ShownApp): Html {
  const hidden = html`<span class="soft">not shown; it was answered once, when the app was made</span>`
  return facts([
    ['App id', code(id)],
    ['Consumer key', code(consumerKey)],
    ['Consumer secret', consumerSecret ? code(consumerSecret) : hidden],
    ...(oauth2ClientId ? [['OAuth 2.0 client', code(oauth2ClientId)] as const] : []),
    ...(oauth2ClientSecret ? [['OAuth 2.0 secret', code(oauth2ClientSecret)] as const] : []),
  ])
}

const personOf = ({ id, username, password, tokens }: ShownPerson): Fact => [
  username,
  html`id ${code(id)}${password && html`, password ${code(password)}`}${tokens.map(({ token, secret }) => html`, token ${code(token)} ${code(secret)}`)}`,
]

const keys = ({ apps, people, hasMorePeople, operatorToken }: Told): Html => html`<h2>Keys</h2>
${apps.map((app) => html`<h3>${app.name}</h3>${keysOf(app)}`)}
${apps.length === 0 && html`<p>There is no app. <code>npx postern apps create</code> makes one, and so does a seed.</p>`}
<p>Operator token: ${operatorToken}</p>
${people.length > 0 && html`<h2>People</h2>${facts(people.map(personOf))}`}${hasMorePeople && html`<p>There are others.</p>`}`

const paste = ({ pastes }: Told): Html | false =>
  pastes.length > 0 && html`<h2>Paste</h2>${pastes.map(({ says, command }) => html`<p>${says}</p><pre>${command}</pre>`)}`

const OTHERS = html`<p>Keys are shown on the machine where Postern runs, and to whoever sends the operator token:</p>
<pre>curl -H "Authorization: Bearer &lt;operator token&gt;" &lt;this address&gt;</pre>`

/** `GET /` of a development server, for programs and where the console is not built: what runs where, and, unless it is for others, keys. */
export const startPage = (running: Runs, told: Told | undefined): Page => ({
  title: 'Postern',
  body: html`<h1>Postern is running</h1>
<p><a href="${running.origins.operator_url}/console/">Console</a> · <a href="/docs">API reference</a> · <a href="/docs/events">Events</a> · <a href="/openapi.json">OpenAPI</a> · <a href="/readyz">Health</a></p>
<h2>Runs</h2>
${runs(running)}
${told ? html`${keys(told)}${paste(told)}` : OTHERS}`,
})
