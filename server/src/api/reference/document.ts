import { type Html, html } from '../answer/html.ts'
import { createPolicy, htmlDocument } from '../answer/html-document.ts'
import type { RawAnswer } from '../declare/raw-request.ts'
import type { DescribedApi } from './described-api.ts'
import { OBJECTS_PATH, pathOfGroup } from './names.ts'
import { REFERENCE_STYLE } from './style.ts'

/** The reference has no form. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': createPolicy(REFERENCE_STYLE)([]),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** The addresses of the reference with their titles, in its order. */
export const contentsOf = ({ tags }: DescribedApi): [string, string][] => [
  ...tags.map(({ name }): [string, string] => [pathOfGroup(name), name]),
  [OBJECTS_PATH, 'Objects'],
]

/** A page of the reference, as it goes out. */
export function referencePage(api: DescribedApi, path: string, heading: string, content: Html): RawAnswer {
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
