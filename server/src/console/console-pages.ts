import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Logger } from 'pino'
import { Html, html } from '../api/answer/html.ts'
import { areas } from '../api/areas.ts'
import { pathOf, type RawAnswer, type RawRequest } from '../api/declare/raw-request.ts'
import { takesGzip } from '../api/http/kept-answer.ts'
import { page } from '../api/http/pages.ts'
import type { Route } from '../api/http/route.ts'
import { type Build, type ConsoleFiles, NotBuilt } from './console-files.ts'

/** Where the page of the console is: it has its own routes, as deep as these. */
const PAGES = ['/console', '/console/:page', '/console/:page/:id', '/console/:page/:id/:part']
const ASSET = '/console/assets/:file'

/** What anybody may read of the console: it says the same to everybody, and asks for everything else with a session. */
export const consolePaths: readonly string[] = [...PAGES, ASSET]

/** It runs and loads what this server serves, nothing else, and nothing that stands in the page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

const HTML_TYPE = 'text/html;charset=utf-8'

const TYPES: Record<string, string> = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' }

const YEAR_SECONDS = 365 * 24 * 60 * 60

/** From the page at a path to the folder of the console: it may be below a prefix that only a proxy knows. */
function wayUp(target: string): string {
  const steps = pathOf(target).split('/').slice(2)
  return '../'.repeat(steps.length - 1) || './'
}

/** An end tag of a script in a tagged template would bring a helper of the bundler into the package. The names are those of the build. */
const script = (address: string) => new Html(`<script type="module" src="${address}"></script>`)

const document = ({ entry, style }: Build, up: string) =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Postern console</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${up}assets/${style}">
${script(`${up}assets/${entry}`)}
</head>
<body>
<noscript>The console needs JavaScript. The same is told by <code>postern</code> on the command line.</noscript>
<div id="console"></div>
</body>
</html>
`.text

const sentence = (title: string, says: string) =>
  html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title></head>
<body><h1>${title}</h1><p>${says}</p></body>
</html>
`.text

const htmlAnswer = (status: number, body: string): RawAnswer => ({
  status,
  headers: { ...HEADERS, 'content-type': HTML_TYPE, 'cache-control': 'no-cache' },
  body,
})

const NOT_FOUND = htmlAnswer(404, sentence('No such file', 'The console has no such file. Load its page again.'))

const decompress = promisify(gunzip)

/** The console: one page at every path of its own, and the files that it loads. */
export function createConsolePages(files: ConsoleFiles, log: Logger): Route[] {
  const showPage = async ({ target }: RawRequest): Promise<RawAnswer> => {
    // Without the slash its links would lead beside it.
    if (pathOf(target) === '/console') return { status: 308, headers: { ...HEADERS, location: 'console/' }, body: '' }
    try {
      return htmlAnswer(200, document(await files.build(), wayUp(target)))
    } catch (error) {
      if (error instanceof NotBuilt) return htmlAnswer(503, sentence('The console is not built', error.message))
      log.error({ err: error }, 'the console could not be built')
      return htmlAnswer(500, sentence('The console could not be built', 'The log of the server says why.'))
    }
  }

  const sendFile = async (request: RawRequest): Promise<RawAnswer> => {
    const name = request.pathParams.file ?? ''
    const bytes = await files.read(name)
    if (!bytes) return NOT_FOUND
    const headers = {
      ...HEADERS,
      'content-type': TYPES[name.split('.').at(-1)!] ?? 'application/octet-stream',
      'cache-control': `public, max-age=${YEAR_SECONDS}, immutable`,
      vary: 'accept-encoding',
    }
    if (!takesGzip(request)) return { status: 200, headers, body: await decompress(bytes) }
    return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: bytes }
  }

  return [...PAGES.map((path) => page(path, showPage, areas.pages)), page(ASSET, sendFile, areas.pages)]
}
