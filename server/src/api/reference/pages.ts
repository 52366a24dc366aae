import { type Html, html } from '../answer/html.ts'
import type { RawAnswer } from '../declare/raw-request.ts'
import { EVENTS_GROUP } from '../describe/groups.ts'
import { authentication, type Credentials } from './authentication.ts'
import { type DescribedApi, type Located, operationsOf } from './described-api.ts'
import { referencePage } from './document.ts'
import { eventSections } from './event-section.ts'
import { body } from './members.ts'
import { OBJECTS_PATH, pathOfGroup } from './names.ts'
import { operationSection, route } from './operation-section.ts'
import { inline, prose } from './prose.ts'

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

/** The addresses of the reference, each with what makes its page of the description. */
export function referencePages(groups: readonly string[], kinds: readonly Credentials[]): [string, (api: DescribedApi) => RawAnswer][] {
  const groupOf = (api: DescribedApi, wanted: string) => api.tags.find(({ name }) => name === wanted)!
  return [
    ['/docs', (api) => referencePage(api, '/docs', `${api.info.title} API`, frontPage(api, kinds))],
    ...groups.map((name): [string, (api: DescribedApi) => RawAnswer] => [
      pathOfGroup(name),
      (api) => referencePage(api, pathOfGroup(name), name, groupPage(api, groupOf(api, name), kinds)),
    ]),
    [OBJECTS_PATH, (api) => referencePage(api, OBJECTS_PATH, 'Objects', objectsPage(api))],
  ]
}
