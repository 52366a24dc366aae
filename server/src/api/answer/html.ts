import { createHash } from 'node:crypto'

/** HTML that is safe to send: every text in it was escaped. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Piece = Html | readonly Html[] | string | number | false | undefined

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '`': '&#96;' }

const escapeText = (text: string) => text.replace(/[&<>"'`]/g, (char) => ESCAPES[char]!)

function write(piece: Piece): string {
  if (piece instanceof Html) return piece.text
  if (Array.isArray(piece)) return piece.map(write).join('')
  return piece === undefined || piece === false ? '' : escapeText(String(piece))
}

/** Writes HTML: what is put into it is escaped, unless it is HTML. Attributes must be in double quotes. */
export const html = (strings: TemplateStringsArray, ...pieces: Piece[]): Html =>
  new Html(strings.reduce((text, string, place) => text + write(pieces[place - 1]) + string))

/** A document of the server: it runs no script and loads nothing, and its style is within. */
interface HtmlDocument {
  title: string
  style: string
  body: Html
}

/** The text of a document. */
export const htmlDocument = ({ title, style, body }: HtmlDocument): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
${body}
</body>
</html>
`.text

/** Returns a function that makes the content security policy of documents with a style: in no frame, with forms that lead only to `formTargets`. */
export function createPolicy(style: string): (formTargets: readonly string[]) => string {
  const hash = createHash('sha256').update(style).digest('base64')
  return (formTargets) =>
    [
      "default-src 'none'",
      `style-src 'sha256-${hash}'`,
      'img-src data:',
      "base-uri 'none'",
      "frame-ancestors 'none'",
      `form-action ${formTargets.length === 0 ? "'none'" : formTargets.join(' ')}`,
    ].join('; ')
}
