import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { userAuthorizationOf } from '../sign-in/fixtures.ts'

const BOUNDARY = 'between-the-parts'
const UPLOAD = '/1.1/media/upload.json'

const agent = new Agent({ keepAlive: true })

/** Sends a request as its pieces are made; answers the JSON that came back. */
export async function send(
  url: string,
  headers: Record<string, string | number>,
  pieces: Iterable<Buffer>,
): Promise<Record<string, unknown>> {
  const sent = request(url, { method: 'POST', headers, agent })
  for (const piece of pieces) if (!sent.write(piece)) await once(sent, 'drain')
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const text = (await response.toArray()).join('')
  if (response.statusCode !== 200) throw new Error(`${url} responded ${response.statusCode}: ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}

/** A step of an upload, with the bytes of a segment if it has any. */
export function step(origin: string, fields: Record<string, string | number>, pieces?: Iterable<Buffer>) {
  const url = origin + UPLOAD
  const headers = { authorization: userAuthorizationOf(url, 'POST'), 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
  function* body() {
    for (const [name, value] of Object.entries(fields))
      yield Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    if (pieces) {
      yield Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="media"; filename="video.mp4"\r\n\r\n`)
      yield* pieces
      yield Buffer.from('\r\n')
    }
    yield Buffer.from(`--${BOUNDARY}--\r\n`)
  }
  return send(url, headers, body())
}

/** Cuts a file into segments of this size: the pieces of each. */
export function* segmentsOf(pieces: Iterable<Buffer>, size: number): Generator<Buffer[]> {
  let segment: Buffer[] = []
  let length = 0
  for (const piece of pieces) {
    segment.push(piece)
    length += piece.length
    if (length < size) continue
    yield segment
    segment = []
    length = 0
  }
  if (segment.length > 0) yield segment
}

/** Uploads a video in segments, and waits until FINALIZE has accepted it. */
export async function uploadVideo(origin: string, size: number, segments: Iterable<Iterable<Buffer>>): Promise<string> {
  const begun = await step(origin, { command: 'INIT', total_bytes: size, media_type: 'video/mp4', media_category: 'amplify_video' })
  const mediaId = begun.media_id_string as string
  let index = 0
  for (const segment of segments) {
    await step(origin, { command: 'APPEND', media_id: mediaId, segment_index: index }, segment)
    index += 1
  }
  await step(origin, { command: 'FINALIZE', media_id: mediaId })
  return mediaId
}
