import type { ExplainedParameter, Explanation } from '../../access/oauth1/explain/explain.ts'
import { type Html, html } from '../../api/answer/html.ts'
import type { Page } from '../../api/answer/page.ts'
import { codes } from '../../api/declare/codes.ts'
import { firstDifference, type Parted } from './first-difference.ts'

const row = ({ name, value, from, inBase }: ExplainedParameter): Html => html`<tr>
<th scope="row"><code>${name}</code></th>
<td data-label="Received"><code>${value}</code></td>
<td data-label="From">${from.join(', ')}${from.length > 1 ? html` <span class="soft">counted once</span>` : ''}</td>
<td data-label="In the base string">${inBase === undefined ? html`<span class="soft">not part of the base string</span>` : html`<code>${inBase}</code>`}</td>
</tr>
`

const table = ({ parameters, more }: Explanation): Html => html`<h2>Parameters received, and how they enter the base string</h2>
<table>
<thead><tr><th scope="col">Name</th><th scope="col">Received</th><th scope="col">From</th><th scope="col">In the base string</th></tr></thead>
<tbody>
${parameters.map(row)}</tbody>
</table>
${more > 0 && html`<p class="soft">And ${more} more.</p>`}`

const parted = ([before, differs, after]: Parted): Html => html`<pre>${before}<mark>${differs}</mark>${after}</pre>`

const otherBases = (bases: readonly string[]): Html | false =>
  bases.length > 0 &&
  html`<details>
<summary>For the other origins of this server</summary>
${bases.map((base) => html`<pre>${base}</pre>`)}
</details>`

/** The base string of the server, beside that of the client where it is known. */
function baseStrings({ bases: [base, ...rest], signedBase }: Explanation): Html | false {
  if (base === undefined) return false
  const heading = html`<h2>The base string that the server built</h2>`
  if (signedBase === undefined) return html`${heading}<pre>${base}</pre>${otherBases(rest)}`
  if (signedBase === base)
    return html`${heading}<pre>${base}</pre>
<p class="soft">The client built the same base string. The signing key differs, or how the signature was computed.</p>${otherBases(rest)}`
  const [ours, theirs] = firstDifference(base, signedBase)
  return html`${heading}${parted(ours)}
<h2>The base string that the client signed</h2>${parted(theirs)}${otherBases(rest)}`
}

/** The first of some sentences, and the others. */
const headed = (says = ''): readonly [first: string, rest: string] => {
  const end = /\.\s/.exec(says)?.index ?? says.length
  return [says.slice(0, end + 1), says.slice(end + 1)]
}

/** The page that explains a refused signature. */
export function explanationPage(explanation: Explanation): Page {
  const { code, atMs, method, path, sentences, parameters } = explanation
  const [first, ...others] = sentences
  const [heading, more] = headed(first)
  return {
    title: 'Why this signature was refused',
    body: html`<p class="soft">Why this signature was refused</p>
<h1>${heading}</h1>
${[more, ...others].filter(Boolean).map((paragraph) => html`<p>${paragraph}</p>`)}
<p class="soft"><code>${method} ${path}</code> at ${new Date(atMs).toISOString().slice(11, 19)} UTC was answered with code ${code}: ${codes[code].message}</p>
${parameters.length > 0 && table(explanation)}
${baseStrings(explanation)}
<p class="soft">Tokens are truncated; secrets and signatures are not shown.</p>`,
  }
}
