import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { sha256 } from '../../lib/crypto.ts'
import { lazyAsync } from '../../lib/lazy.ts'
import { headerOf, type RawAnswer, type RawRequest } from '../declare/raw-request.ts'
import { knownTo } from './etags.ts'

const compress = promisify(gzip)

const NOT_MODIFIED = 304

/** How much a client wants each coding of a body, by name, from 0 for not at all to 1. */
function codingsOf(request: RawRequest): Map<string, number> {
  const sent = (headerOf(request, 'accept-encoding') ?? '').split(',').filter((one) => one.trim() !== '')
  return new Map(
    sent.map((one) => {
      const [name = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return [name, weight === undefined ? 1 : Number(weight)]
    }),
  )
}

/** Whether a client takes gzip, and would not rather have the bytes as they are (RFC 9110, section 12.5.3). */
export function takesGzip(request: RawRequest): boolean {
  const codings = codingsOf(request)
  const weight = codings.get('gzip') ?? codings.get('*') ?? 0
  return weight > 0 && weight >= (codings.get('identity') ?? 0)
}

/**
 * An answer that stays the same while the process lives. It is asked for again by its ETag, and compressed once, for the first client that
 * takes gzip. Both forms have an ETag of their own, because their bytes differ; a client that has either is told so. Those who ask and do not
 * read share its bytes.
 */
export function keptAnswer({ body, headers, ...rest }: RawAnswer): (request: RawRequest) => Promise<RawAnswer> {
  const plain = Buffer.from(body)
  const hash = sha256(plain).toString('base64url').slice(0, 22)
  const [etag, gzipEtag] = [`"${hash}"`, `"${hash}-gzip"`]
  const always = { vary: 'accept-encoding', 'cache-control': 'no-cache' }
  const compressed = lazyAsync(() => compress(plain))
  return async (request) => {
    const known = knownTo(request, etag, gzipEtag)
    if (known !== undefined) return { status: NOT_MODIFIED, headers: { ...always, etag: known }, body: '' }
    if (!takesGzip(request)) return { ...rest, headers: { ...headers, ...always, etag }, body: plain }
    return { ...rest, headers: { ...headers, ...always, etag: gzipEtag, 'content-encoding': 'gzip' }, body: await compressed() }
  }
}
