import type { Readable } from 'node:stream'
import type { Caller } from '../declare/auth.ts'
import type { Endpoint } from '../declare/endpoint.ts'
import { Problem } from '../declare/problem.ts'
import { headerOf, type RawRequest } from '../declare/raw-request.ts'
import { isMultipart } from './body.ts'
import { asForm, disconnected, readMultipart } from './multipart.ts'

/** A request with its body: of a multipart one the parameters as a form, and what was made of the part that is streamed. */
interface TakenBody {
  request: RawRequest
  isMultipart: boolean
  received: unknown
}

/** Of all parts that are not streamed, with what stands between the parts. */
const MAX_OTHER_BYTES = 1024 * 1024

const tooLarge = (limitBytes: number) => new Problem('too-large', { detail: `The request body is larger than ${limitBytes} bytes.` })

/** All of a body that is no larger than this. */
async function readWhole(body: Readable, limitBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of body.iterator({ destroyOnReturn: false })) {
    size += piece.length
    if (size > limitBytes) throw tooLarge(limitBytes)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/**
 * Makes what takes in the body of a request to an endpoint, once the caller is known, and hands both on. What a streamed part left is discarded
 * if that rejects.
 */
export function createBodyTaker<Services>({ streamed, bodyLimitBytes }: Endpoint<Services>) {
  const take = async (request: RawRequest, unread: Readable, caller: Caller, services: Services): Promise<TakenBody> => {
    const { maxBytes, parts, receive, discard } = streamed!
    const rest = { ...request, unread: undefined }
    if (!isMultipart(request)) {
      const body = await readWhole(unread, bodyLimitBytes).catch((error) => {
        throw error instanceof Problem ? error : disconnected()
      })
      return { request: { ...rest, body }, isMultipart: false, received: undefined }
    }
    if (Number(headerOf(request, 'content-length') ?? 0) > maxBytes + MAX_OTHER_BYTES) throw tooLarge(maxBytes)
    const { fields, received } = await readMultipart(rest, unread, parts, {
      take: (part) => receive(part, caller, services),
      discard: (taken) => discard(taken, services),
    })
    return { request: asForm(rest, fields), isMultipart: true, received }
  }

  return async <T>(request: RawRequest, caller: Caller, services: Services, handle: (body: TakenBody) => Promise<T>): Promise<T> => {
    const { unread } = request
    if (!unread || !streamed) return handle({ request, isMultipart: false, received: undefined })
    const body = await take(request, unread, caller, services)
    try {
      return await handle(body)
    } catch (error) {
      if (body.received !== undefined) await streamed!.discard(body.received, services)
      throw error
    }
  }
}
