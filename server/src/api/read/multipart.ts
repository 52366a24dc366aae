import type { IncomingHttpHeaders } from 'node:http'
import { finished, type Readable } from 'node:stream'
import { Busboy } from '@fastify/busboy'
import { USUAL_BODY_BYTES } from '../declare/host-limits.ts'
import { malformedRequest, Problem } from '../declare/problem.ts'
import { headerOf, type RawRequest } from '../declare/raw-request.ts'
import type { StreamedPart } from '../declare/streamed-body.ts'
import { CONTENT_TYPES } from './body.ts'

/** Of a part that is a parameter. */
const MAX_FIELD_BYTES = 16 * 1024
const MAX_FIELDS = 32

const limits = {
  fieldNameSize: 100,
  fieldSize: MAX_FIELD_BYTES,
  fields: MAX_FIELDS,
  files: 1,
  parts: MAX_FIELDS + 1,
  headerPairs: 16,
  headerSize: 4096,
}

/** The parameters of a multipart body, in their order, and what was made of the part that is streamed. */
export interface Multipart<Received> {
  fields: [name: string, value: string][]
  received: Received | undefined
}

export const disconnected = () => new Problem('client-disconnected', { detail: 'The connection was closed before the end of the body.' })

const malformed = (why: string) => malformedRequest([{ message: `The multipart body ${why}.` }])

function createParser(request: RawRequest, parts: readonly string[]) {
  const contentType = headerOf(request, 'content-type') ?? ''
  const headers = { ...(request.headers as IncomingHttpHeaders), 'content-type': contentType }
  try {
    return new Busboy({ headers, limits, isPartAFile: (name) => name !== undefined && parts.includes(name) })
  } catch {
    throw malformed('has no boundary in its Content-Type header')
  }
}

/**
 * Reads a multipart body. `take` is given the part that is streamed, as soon as it begins: what comes is read as fast as `take` reads it.
 * Throws 400 for a body that is malformed or has too many parts, and what `take` throws; nothing more of the body is read then, and what was
 * taken is discarded.
 */
export async function readMultipart<Received>(
  request: RawRequest,
  body: Readable,
  parts: readonly string[],
  { take, discard }: { take(part: StreamedPart): Promise<Received>; discard(received: Received): Promise<void> },
): Promise<Multipart<Received>> {
  const parser = createParser(request, parts)
  const fields: [string, string][] = []
  let fieldBytes = 0
  let taking: Promise<Received> | undefined
  let endPart: ((error: Error) => void) | undefined

  const read = new Promise<void>((resolve, reject) => {
    parser.on('file', (name, file) => {
      // An error of the parser reaches the part alone. One that is destroyed was left by whoever read it, who says why.
      file.on('error', (error) => file.destroyed || reject(malformed(`cannot be read: ${error.message}`)))
      endPart = (error) => file.destroy(error)
      taking = take({ name, bytes: file })
      taking.catch(reject)
    })
    parser.on('field', (name, value, _nameTruncated, isTruncated) => {
      fieldBytes += value.length
      if (name === undefined) reject(malformed('has a part without a name'))
      else if (fieldBytes > USUAL_BODY_BYTES)
        reject(malformed(`has parts of more than ${USUAL_BODY_BYTES} bytes together, besides those of ${parts.join(', ')}`))
      else if (isTruncated) reject(malformed(`has a part ${JSON.stringify(name.slice(0, 50))} of more than ${MAX_FIELD_BYTES} bytes`))
      else fields.push([name, value])
    })
    parser.on('filesLimit', () => reject(malformed(`has more than one part of ${parts.join(', ')}`)))
    parser.on('fieldsLimit', () => reject(malformed(`has more than ${MAX_FIELDS} parts`)))
    parser.on('partsLimit', () => reject(malformed(`has more than ${MAX_FIELDS} parts`)))
    parser.on('error', (error) => reject(malformed(`cannot be read: ${(error as Error).message}`)))
    parser.on('finish', () => resolve())
    finished(body, { writable: false }, (error) => error && reject(disconnected()))
    body.pipe(parser)
  })

  try {
    await read
    return { fields, received: await taking }
  } catch (error) {
    body.unpipe(parser)
    // Whoever reads the part fails by this, and leaves nothing.
    endPart?.(error instanceof Error ? error : new Error('the body could not be read', { cause: error }))
    await taking?.then(discard, () => {})
    throw error
  }
}

/** The request with the parameters of its multipart body as a form, which they are read as. */
export const asForm = (request: RawRequest, fields: readonly [string, string][]): RawRequest => ({
  ...request,
  headers: { ...request.headers, 'content-type': CONTENT_TYPES.form },
  body: Buffer.from(new URLSearchParams([...fields]).toString()),
})
