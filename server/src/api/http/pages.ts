import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { JSON_TYPE } from '../answer/serialize.ts'
import { type Area, areaOf } from '../areas.ts'
import { methodNotAllowed } from '../declare/problem.ts'
import type { RawAnswer } from '../declare/raw-request.ts'
import type { Route } from './route.ts'

const PAGE_METHODS = ['GET', 'HEAD']

/** A page that answers GET and nothing else; it refuses in the form of its area. Requests for it are counted by the first step of its path. */
export const page = (path: string, answer: () => Promise<RawAnswer> | RawAnswer, area: Area = areaOf(path)): Route => ({
  path,
  methods: PAGE_METHODS,
  bodyLimitBytes: 1024,
  async respond(request) {
    if (PAGE_METHODS.includes(request.method)) return { ...(await answer()), endpoint: path.split('/')[1]! }
    return area.refuse(methodNotAllowed(request.method, PAGE_METHODS.join(', ')), { problemBaseUrl: '' })
  },
})

/** Made at the first request and kept: those who ask and do not read share its bytes. */
function lasting(make: () => Promise<RawAnswer> | RawAnswer): () => Promise<RawAnswer> {
  const bytesOf = ({ body, ...rest }: RawAnswer): RawAnswer => ({ ...rest, body: Buffer.from(body) })
  const begin = async () => bytesOf(await make())
  let made: Promise<RawAnswer> | undefined
  return async () => {
    made ??= begin()
    return made
  }
}

/** A page of JSON; its value is asked for once. */
export const jsonPage = (path: string, value: () => unknown): Route =>
  page(
    path,
    lasting(() => ({ status: 200, headers: { 'content-type': JSON_TYPE }, body: JSON.stringify(value()) })),
  )

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"

const html = (title: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/begin.js"></script>
</body>
</html>
`

const BEGIN = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, docExpansion: 'list', defaultModelsExpandDepth: -1, validatorUrl: null, persistAuthorization: true })\n`

const TYPES: Record<string, string> = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', png: 'image/png' }

/** `GET /docs`: the API reference, served whole from a package, with no other host involved. */
export function docsPages(title: string): Route[] {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const asset = (name: string) =>
    page(
      `/docs/${name}`,
      lasting(async () => ({
        status: 200,
        headers: { 'content-type': TYPES[name.split('.').at(-1)!]!, 'cache-control': 'max-age=3600' },
        body: await readFile(join(folder, name)),
      })),
    )
  return [
    page('/docs', () => ({
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY },
      body: html(title),
    })),
    page('/docs/begin.js', () => ({ status: 200, headers: { 'content-type': TYPES.js! }, body: BEGIN })),
    ...['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'].map(asset),
  ]
}
