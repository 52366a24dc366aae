import { createHash } from 'node:crypto'
import { Html, html } from './html.ts'

/** A document of the server: it runs no script and loads nothing, and its style is within. */
export interface HtmlDocument {
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
