import { type Html, html } from '../answer/html.ts'

/** Text in which names stand between backticks. */
export const inline = (text: string): Html =>
  html`${text.split('`').map((piece, place) => (place % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`))}`

const isItem = (line: string) => line.startsWith('- ')

function block(text: string): Html {
  const lines = text.split('\n')
  if (lines.every(isItem)) return html`<ul>${lines.map((line) => html`<li>${inline(line.slice(2))}</li>`)}</ul>`
  return html`<p>${inline(text)}</p>`
}

/** The Markdown of descriptions: paragraphs, lists and names between backticks. */
export const prose = (text: string): Html =>
  html`${text
    .split('\n\n')
    .filter((one) => one !== '')
    .map(block)}`
