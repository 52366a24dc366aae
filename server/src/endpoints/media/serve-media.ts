import { Readable } from 'node:stream'
import type { Logger } from 'pino'
import { type ProblemOptions, problemOf } from '../../api/answer/serialize-problem.ts'
import { areas } from '../../api/areas.ts'
import { methodNotAllowed, Problem } from '../../api/declare/problem.ts'
import { headerOf, pathOf, type RawAnswer, type RawRequest } from '../../api/declare/raw-request.ts'
import { knownTo } from '../../api/http/etags.ts'
import type { Route } from '../../api/http/route.ts'
import type { Content } from '../../storage/content.ts'
import { media } from '../../storage/content-tables.ts'
import { type ByteRange, type MediaFile, type MediaFiles, originalOf, posterOf } from '../../storage/media-files.ts'
import { type MediaType, typeOfFile } from './media-urls.ts'

const pathnameOf = (url: unknown) => (typeof url === 'string' ? URL.parse(url)?.pathname : undefined)

/** The key of the file at this path. The row of the media says by which paths they are read: once it is gone, they are gone. */
async function findMediaFile(content: Pick<Content, 'rows'>, mediaKey: string, path: string): Promise<string | undefined> {
  const [row] = await content.rows(media, ['url', 'preview_image_url'], [mediaKey])
  const [url, poster] = row ?? []
  if (pathnameOf(url) === path) return originalOf(mediaKey)
  return pathnameOf(poster) === path ? posterOf(mediaKey) : undefined
}

interface ServeMediaOptions {
  content: Pick<Content, 'rows'>
  mediaFiles: Files
  problemOptions: ProblemOptions
  log: Logger
}

const METHODS = ['GET', 'HEAD']

/** Scripts of any page may read them: they are for whoever has the URL, and nothing here depends on who asks. */
const FOR_ALL_ORIGINS = { 'access-control-allow-origin': '*' }

const noSuchMedia = (path: string) =>
  new Problem('not-found', { detail: `There is no such media: they were deleted, or the URL is not whole: ${path.slice(0, 200)}` })

/** A URL of media always has the same bytes. */
const CACHED = 'public, max-age=31536000, immutable'

/** For every answer with bytes of strangers: what it is, and that no browser makes anything else of it. */
const fileHeaders = (type: MediaType, etag: string, name: string) => ({
  'content-type': type,
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'content-disposition': `inline; filename="${name}"`,
  'cross-origin-resource-policy': 'cross-origin',
  'accept-ranges': 'bytes',
  'cache-control': CACHED,
  etag,
})

/** Another ETag means another file, of which the range is not what the client wants; a date never matches. */
const mayBeRanged = (request: RawRequest, etag: string) => [undefined, etag].includes(headerOf(request, 'if-range'))

/** The bytes that are asked for: undefined for all, as for several ranges, which nobody needs. */
async function rangeOf(request: RawRequest, size: number): Promise<ByteRange | 'unsatisfiable' | undefined> {
  const { default: parseRange } = await import('range-parser')
  const ranges = parseRange(size, headerOf(request, 'range')!)
  if (ranges === -1) return 'unsatisfiable'
  return ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1 ? undefined : ranges[0]
}

type Files = Pick<MediaFiles, 'read' | 'size'>

type Headers = Record<string, string>

const whole = (headers: Headers, { size, stream }: MediaFile): RawAnswer => ({
  status: 200,
  body: '',
  stream,
  headers: { ...headers, 'content-length': String(size) },
})

/** Not to be kept: a cache would answer other ranges with it. */
const unsatisfiable = (headers: Headers, size: number) => ({ ...headers, 'cache-control': 'no-store', 'content-range': `bytes */${size}` })

/** Answers a request for a file that the client does not have; undefined if the file is gone. */
async function answerFile(
  request: RawRequest,
  files: Files,
  key: string,
  headers: Headers & { etag: string },
): Promise<RawAnswer | undefined> {
  if (request.method === 'HEAD') {
    const bytes = await files.size(key)
    return bytes === undefined ? undefined : whole(headers, { size: bytes, stream: Readable.from([]) })
  }
  const wantsRange = headerOf(request, 'range') !== undefined && mayBeRanged(request, headers.etag)
  const size = wantsRange ? await files.size(key) : undefined
  const range = size !== undefined ? await rangeOf(request, size) : undefined
  if (range === 'unsatisfiable') return { status: 416, headers: unsatisfiable(headers, size!), body: '' }
  const file = await files.read(key, range, { forClient: true })
  if (!file) return undefined
  if (!range) return whole(headers, file)
  const { start, end } = range
  const part = { 'content-range': `bytes ${start}-${end}/${file.size}`, 'content-length': String(end - start + 1) }
  return { status: 206, headers: { ...headers, ...part }, body: '', stream: file.stream }
}

/** `GET /media/:media_key/:file_name`: the bytes of media, to whoever has their URL. */
export function serveMedia({ content, mediaFiles, problemOptions, log }: ServeMediaOptions): Route {
  const area = areas.v2

  async function answer(request: RawRequest): Promise<RawAnswer> {
    if (!METHODS.includes(request.method)) throw methodNotAllowed(request.method, METHODS.join(', '))
    const { media_key: mediaKey, file_name: name } = request.pathParams as { media_key: string; file_name: string }
    const path = pathOf(request.target)
    const type = typeOfFile(name)
    const key = type && (await findMediaFile(content, mediaKey, path))
    if (!type || !key) throw noSuchMedia(path)
    const etag = `"${name}"`
    const headers = fileHeaders(type, etag, name)
    if (knownTo(request, etag)) return { status: 304, headers, body: '' }
    const found = await answerFile(request, mediaFiles, key, headers)
    if (!found) throw noSuchMedia(path)
    return found
  }

  return {
    path: '/media/:media_key/:file_name',
    methods: METHODS,
    bodyLimitBytes: 1024,
    async respond(request) {
      const answered = await answer(request).catch((error) => area.refuse(problemOf(error, log, 'media'), problemOptions))
      return { ...answered, headers: { ...answered.headers, ...FOR_ALL_ORIGINS }, endpoint: 'media' }
    },
  }
}
