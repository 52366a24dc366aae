import { createPolicy, type Html, html, htmlDocument } from '../answer/html.ts'
import type { RawAnswer } from '../declare/raw-request.ts'
import { EVENTS_GROUP } from '../describe/groups.ts'
import { authentication, type Credentials, credentialsOf } from './authentication.ts'
import { callExample } from './call-example.ts'
import { type Content, type DescribedApi, type Located, type Operation, operationsOf } from './described-api.ts'
import { body, parameterRows } from './members.ts'
import { OBJECTS_PATH, pathOfGroup } from './names.ts'
import { inline, prose } from './prose.ts'
import { REFERENCE_STYLE } from './style.ts'

const BODY_NAMES: Record<string, string> = {
  'application/json': 'Body (JSON)',
  'application/x-www-form-urlencoded': 'Body (form)',
  'multipart/form-data': 'Body (multipart)',
}

const contentOf = ({ schema }: Content) => (schema ? body(schema) : html``)

function parameters({ parameters = [] }: Operation, place: 'path' | 'query'): Html | false {
  const here = parameters.filter((one) => one.in === place)
  return here.length > 0 && html`<h3>${place === 'path' ? 'Path' : 'Query'}</h3>${parameterRows(here)}`
}

const bodies = ({ requestBody }: Operation): Html[] =>
  Object.entries(requestBody?.content ?? {}).map(([type, content]) => html`<h3>${BODY_NAMES[type] ?? type}</h3>${contentOf(content)}`)

/** The answer to a call that succeeds, folded away. */
function answer({ responses }: Operation): Html[] {
  const successes = Object.entries(responses).filter(([status]) => status !== 'default')
  return successes.map(([status, { content }]) => {
    const contents = Object.values(content ?? {})
    if (contents.length === 0) return html`<p>Answers <code>${status}</code> without a body.</p>`
    return html`<details><summary>Answer <code>${status}</code></summary>${contents.map(contentOf)}</details>`
  })
}

/** Where an operation is served besides the host of this page. */
const hosts = ({ servers }: Operation): Html | false =>
  servers !== undefined &&
  html`<p class="soft">On ${servers.map(({ url }, place) => html`${place > 0 && ' and '}<code>${url}</code>`)}.</p>`

const route = ({ method, path }: Located): Html => html`<span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>`

/** One endpoint: what it does, who may call it, its parameters, its answer, and a command to paste. */
function operationSection(located: Located, api: DescribedApi, kinds: readonly Credentials[]): Html {
  const { operation } = located
  return html`<section class="operation" id="${operation.operationId}">
<h2><a href="#${operation.operationId}">${inline(operation.summary)}</a></h2>
<p class="route">${route(located)}${operation.deprecated && html` <span class="required">deprecated</span>`}</p>
${hosts(operation)}
${prose(operation.description)}
${credentialsOf(operation.security ?? [], kinds)}
${parameters(operation, 'path')}
${parameters(operation, 'query')}
${bodies(operation)}
${answer(operation)}
<pre><code>${callExample(located, api)}</code></pre>
</section>`
}

/** The reference has no form. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': createPolicy(REFERENCE_STYLE)([]),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** The addresses of the reference with their titles, in its order. */
const contentsOf = ({ tags }: DescribedApi): [string, string][] => [
  ...tags.map(({ name }): [string, string] => [pathOfGroup(name), name]),
  [OBJECTS_PATH, 'Objects'],
]

/** A page of the reference, as it goes out. */
function referencePage(api: DescribedApi, path: string, heading: string, content: Html): RawAnswer {
  const title = path === '/docs' ? `${api.info.title} API reference` : `${heading} · ${api.info.title} API reference`
  const link = ([address, name]: [string, string]) =>
    html`<li><a href="${address}"${address === path && html` aria-current="page"`}>${name}</a></li>`
  const body = html`<a class="skip" href="#content">Skip to the content</a>
<header class="top"><a href="/docs">${api.info.title} API reference</a><a href="/docs#groups">All groups</a></header>
<div class="frame">
<nav class="groups" aria-label="Groups">
<ul><li><a class="title" href="/docs"${path === '/docs' && html` aria-current="page"`}>${api.info.title} API</a></li>
${contentsOf(api).map(link)}</ul>
</nav>
<main id="content">
<h1>${heading}</h1>
${content}
</main>
</div>`
  return { status: 200, headers: HEADERS, body: htmlDocument({ title, style: REFERENCE_STYLE, body }) }
}

const INTRODUCTION = [
  'A webhook gets each event as a `POST` with a signature in a header. A stream gets the same JSON as one line, without a signature.',
  'The signature is `sha256=` and the base64 of the HMAC-SHA256 of the raw body, with the consumer secret of the app as the key. Compute it over the bytes as they came, before any JSON parser, and compare it in constant time.',
  'Answer with a status of 200 to 299 within ten seconds. Any other answer, or none, is retried. An event may come more than once: `event_uuid` is the same each time.',
].join('\n\n')

function event(type: string, { summary, description, parameters = [], requestBody }: Operation): Html {
  const { schema, example } = Object.values(requestBody?.content ?? {})[0] ?? {}
  const header = parameters.find((one) => one.in === 'header')
  return html`<section class="operation" id="${type}">
<h2><a href="#${type}"><code>${type}</code></a></h2>
<p>${inline(summary)}</p>
${prose(description)}
<p class="soft">Signed in the header <code>${header?.name}</code>.</p>
<pre><code>${JSON.stringify(example, undefined, 2)}</code></pre>
<details><summary>Members</summary>${schema && body(schema)}</details>
</section>`
}

/** Every type of events: when it is sent, whose consent it needs, an example and its schema. */
const eventSections = ({ webhooks }: DescribedApi): Html =>
  html`<section>${prose(INTRODUCTION)}</section>
${Object.entries(webhooks).map(([type, { post }]) => event(type, post))}`

const line = (page: string, located: Located): Html =>
  html`<li><span>${route(located)}</span> <a href="${page}#${located.operation.operationId}">${inline(located.operation.summary)}</a></li>`

const eventLine = (page: string, [type, { post }]: [string, { post: { summary: string } }]): Html =>
  html`<li><span><code>${type}</code></span> <a href="${page}#${type}">${inline(post.summary)}</a></li>`

const isEvents = (group: string) => group === EVENTS_GROUP

function contents(api: DescribedApi, group: string): Html {
  const page = pathOfGroup(group)
  if (isEvents(group)) return html`<ul class="contents">${Object.entries(api.webhooks).map((one) => eventLine(page, one))}</ul>`
  return html`<ul class="contents">${operationsOf(api, group).map((located) => line(page, located))}</ul>`
}

/** What there is: an introduction, how to authenticate, and every endpoint and event in one list. */
function frontPage(api: DescribedApi, kinds: readonly Credentials[]): Html {
  const group = ({ name, description }: DescribedApi['tags'][number]) => html`<section>
<h3><a href="${pathOfGroup(name)}">${name}</a></h3>
<p>${inline(description)}</p>
${contents(api, name)}
</section>`
  return html`${prose(api.info.description ?? '')}
<p>Machines read <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1), from which these pages are made. The names that answers refer to are on the page <a href="${OBJECTS_PATH}">Objects</a>.</p>
${authentication(api, kinds)}
<section id="groups">
<h2>Endpoints and events</h2>
${api.tags.map(group)}
</section>`
}

function groupPage(api: DescribedApi, { name, description }: DescribedApi['tags'][number], kinds: readonly Credentials[]): Html {
  const sections = isEvents(name) ? eventSections(api) : html`${operationsOf(api, name).map((one) => operationSection(one, api, kinds))}`
  return html`<p>${inline(description)}</p>
${contents(api, name)}
${sections}`
}

const objectsPage = ({ components: { schemas } }: DescribedApi): Html =>
  html`<p>What answers and events refer to by name.</p>
${Object.entries(schemas).map(
  ([name, schema]) => html`<section class="operation" id="${name}">
<h2><a href="#${name}">${name}</a></h2>
${body(schema)}
</section>`,
)}`

/** The addresses of the reference, each with what makes its page. */
export function referencePages(api: DescribedApi, kinds: readonly Credentials[]): Map<string, () => RawAnswer> {
  return new Map([
    ['/docs', () => referencePage(api, '/docs', `${api.info.title} API`, frontPage(api, kinds))],
    ...api.tags.map((tag): [string, () => RawAnswer] => {
      const path = pathOfGroup(tag.name)
      return [path, () => referencePage(api, path, tag.name, groupPage(api, tag, kinds))]
    }),
    [OBJECTS_PATH, () => referencePage(api, OBJECTS_PATH, 'Objects', objectsPage(api))],
  ])
}
