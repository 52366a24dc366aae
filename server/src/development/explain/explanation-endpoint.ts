import type { OperatorServices } from '../../access/operator.ts'
import { type Html, html } from '../../api/answer/html.ts'
import type { JsonPage, Page } from '../../api/answer/page.ts'
import { noAuth } from '../../api/declare/auth.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { Problem } from '../../api/declare/problem.ts'
import { headerOf, type RawRequest } from '../../api/declare/raw-request.ts'
import { anything, iso, text } from '../../api/declare/words.ts'
import type { ExplainedParameter, ExplainedSignature, Explanation, Explanations } from './explanations.ts'
import { isShownToSender } from './shown-to.ts'

/** A text in three parts: what it has in common with another at its beginning, what differs, and what is the same again. */
type Parted = readonly [before: string, differs: string, after: string]

function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let length = 0
  while (length < most && one[length] === other[length]) length++
  return length
}

const reversed = (text: string) => text.split('').reverse().join('')

/** Parts two texts where they differ. A text in which nothing stands there gets the character behind it. */
export function firstDifference(one: string, other: string): [Parted, Parted] {
  const start = commonStart(one, other)
  const [rest, otherRest] = [one.slice(start), other.slice(start)]
  const end = commonStart(reversed(rest), reversed(otherRest))
  const part = (text: string): Parted => {
    const until = Math.max(text.length - end, start + 1)
    return [text.slice(0, start), text.slice(start, until), text.slice(until)]
  }
  return [part(one), part(other)]
}

const row = ({ name, value, from, inBase }: ExplainedParameter): Html => html`<tr>
<th scope="row"><code>${name}</code></th>
<td data-label="Received"><code>${value}</code></td>
<td data-label="From">${from.join(', ')}${from.length > 1 ? html` <span class="soft">counted once</span>` : ''}</td>
<td data-label="In the base string">${inBase === undefined ? html`<span class="soft">not part of the base string</span>` : html`<code>${inBase}</code>`}</td>
</tr>
`

const table = ({ parameters, more }: ExplainedSignature): Html => html`<h2>Parameters received, and how they enter the base string</h2>
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
function baseStrings({ bases: [base, ...rest], signedBase }: ExplainedSignature): Html | false {
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

const signaturePart = (signature: ExplainedSignature): Html =>
  html`${signature.parameters.length > 0 && table(signature)}
${baseStrings(signature)}
<p class="soft">Tokens are truncated; secrets and signatures are not shown.</p>`

/** A sentence; what stands in backticks is code. */
const said = (sentence: string): Html[] =>
  sentence.split(/`([^`]+)`/).map((piece, place) => (place % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`))

/** The page that explains why a call was refused. */
export function explanationPage({ atMs, method, path, answer, sentences, signature }: Explanation): Page {
  const [first, ...others] = sentences
  const [heading, more] = headed(first)
  const title = signature ? 'Why this signature was refused' : 'Why this call was refused'
  return {
    title,
    body: html`<p class="soft">${title}</p>
<h1>${said(heading)}</h1>
${[more, ...others].filter(Boolean).map((paragraph) => html`<p>${said(paragraph)}</p>`)}
<p class="soft"><code>${method} ${path}</code> at ${new Date(atMs).toISOString().slice(11, 19)} UTC was answered with ${answer}</p>
${signature && signaturePart(signature)}`,
  }
}

/** The same for programs. */
const explanationJson = ({ atMs, method, path, answer, sentences, signature }: Explanation): JsonPage => ({
  json: {
    data: {
      at: iso(atMs),
      method,
      path,
      answer,
      explanation: sentences,
      ...(signature && {
        signature: {
          parameters: signature.parameters.map(({ name, value, from, inBase }) => ({ name, value, from, in_base_string: inBase ?? null })),
          base_strings: signature.bases,
          signed_base_string: signature.signedBase ?? null,
        },
      }),
    },
  },
})

interface Services extends OperatorServices {
  explanations: Explanations
}

const NOT_FOUND = 'There is no such explanation: the last 100 are kept, for 15 minutes.'

const wantsJson = (request: RawRequest) => /\bapplication\/json\b/i.test(headerOf(request, 'accept') ?? '')

export const explanation = endpoint({
  name: 'explanation',
  route: 'GET /oauth/explanations/:explanation_id',
  section: '§5.2',
  summary: 'Show the page that explains why a call was refused. Development only.',
  description:
    'Every response of 401 and 403, and some others, has its URL in `x-postern-explain`; of a rejected signature the log has it too. The page names the likely mistake and what to do. Of a rejected signature it shows the base string that the server built and the parameters it received. It shows no secret, no expected signature and no complete token. With `Accept: application/json` it is JSON. The last 100 explanations are kept for 15 minutes, and shown to clients of this machine alone, and to whoever sends an operator token as bearer token.',
  auth: noAuth,
  params: {
    explanation_id: text({ description: 'The last path segment of the URL in `x-postern-explain`.', example: 'Zm9yIHJlYWRlcnMgb25seQ' }),
  },
  answer: anything<Page | JsonPage>(),
  async handle({ params, request }, { explanations, ...services }: Services) {
    const found = (await isShownToSender(request, services)) ? await explanations.find(params.explanation_id) : undefined
    if (found) return wantsJson(request) ? explanationJson(found) : explanationPage(found)
    if (wantsJson(request)) return { status: 404, json: { errors: [{ code: 34, message: NOT_FOUND }] } }
    throw new Problem('not-found', { detail: NOT_FOUND })
  },
})
