import type { RawAnswer } from '../declare/raw-request.ts'
import type { Why } from '../declare/why.ts'
import { createPolicy, type Html, html, htmlDocument } from './html.ts'
import { STYLE } from './page-style.ts'

/** A page that a browser shows. It runs no script and loads nothing. */
export interface Page {
  status?: number
  title: string
  body: Html
  /** Where its form may lead besides here, as sources of a content security policy. */
  formTargets?: readonly string[]
  cookie?: string
  headers?: Record<string, string>
  /** Why nothing was done, in words that the page does not have; for explanations in development. */
  why?: Why
}

/** The same as a page says, for programs. */
export interface JsonPage {
  status?: number
  json: unknown
}

/** Sends the browser elsewhere. */
export interface Redirect {
  location: string
  cookie?: string
}

export const JSON_TYPE = 'application/json; charset=utf-8'

const policyOf = createPolicy(STYLE)

const document = ({ title, body }: Page) =>
  htmlDocument({
    title,
    style: STYLE,
    body: html`<main>
${body}
</main>`,
  })

const cookieHeader = (cookie: string | undefined): Record<string, string> => (cookie === undefined ? {} : { 'set-cookie': cookie })

/** A page, or a redirection, as it goes out. */
export function serializePage(answer: Page | JsonPage | Redirect, headers: Record<string, string>): RawAnswer {
  if ('json' in answer) {
    const all = { ...headers, 'content-type': JSON_TYPE, 'x-content-type-options': 'nosniff' }
    return { status: answer.status ?? 200, headers: all, body: JSON.stringify(answer.json) }
  }
  const all = { ...headers, ...cookieHeader(answer.cookie), 'referrer-policy': 'no-referrer' }
  if ('location' in answer) return { status: 302, headers: { ...all, location: answer.location }, body: '' }
  return {
    status: answer.status ?? 200,
    headers: {
      ...all,
      ...answer.headers,
      'content-type': 'text/html;charset=utf-8',
      'content-security-policy': policyOf(["'self'", ...(answer.formTargets ?? [])]),
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
    },
    body: document(answer),
  }
}

/** A refusal as a page: what is wrong, and nothing to do about it here. */
export const refusalPage = (status: number, heading: string, says: string): Page => ({
  status,
  title: heading,
  body: html`<h1>${heading}</h1>
<p>${says}</p>`,
})
