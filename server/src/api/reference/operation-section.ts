import { type Html, html } from '../answer/html.ts'
import { type Credentials, credentialsOf } from './authentication.ts'
import { callExample } from './call-example.ts'
import type { Content, DescribedApi, Located, Operation } from './described-api.ts'
import { body, parameterRows } from './members.ts'
import { inline, prose } from './prose.ts'

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

export const route = ({ method, path }: Located): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>`

/** One endpoint: what it does, who may call it, its parameters, its answer, and a command to paste. */
export function operationSection(located: Located, api: DescribedApi, kinds: readonly Credentials[]): Html {
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
