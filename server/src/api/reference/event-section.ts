import { type Html, html } from '../answer/html.ts'
import type { DescribedApi, Operation } from './described-api.ts'
import { body } from './members.ts'
import { inline, prose } from './prose.ts'

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
export const eventSections = ({ webhooks }: DescribedApi): Html =>
  html`<section>${prose(INTRODUCTION)}</section>
${Object.entries(webhooks).map(([type, { post }]) => event(type, post))}`
