import type { Caller } from '../../../api/declare/auth.ts'
import { Problem } from '../../../api/declare/problem.ts'
import type { StreamedBody } from '../../../api/declare/streamed-body.ts'
import { SEGMENTS, TooLarge } from '../../../storage/media-files.ts'
import { mediaProblem } from './media-problem.ts'
import { MAX_MEDIA_BYTES } from './upload-kinds.ts'
import type { UploadServices } from './upload-services.ts'

const ALPHABET = /^[A-Za-z0-9+/_-]*$/

const WHITESPACE = /\s+/g

const PADDING = '='
const MAX_PADDING = 2

/** How many characters of padding a text ends with. A pattern that is tied to the end would look at each run of them from each of its places. */
function paddingAtEnd(text: string): number {
  let count = 0
  while (count <= MAX_PADDING && text.at(-1 - count) === PADDING) count += 1
  return count
}

/** Decodes base64 as it comes. Line breaks are passed over; anything else that is not base64 is 400. */
export async function* decodeBase64(name: string, pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const wrong = () => mediaProblem('must be base64', name)
  let rest = ''
  let padding = 0
  for await (const piece of pieces) {
    const text = rest + Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1').replace(WHITESPACE, '')
    const more = paddingAtEnd(text)
    const plain = more === 0 ? text : text.slice(0, -more)
    if (padding > 0 && plain !== '') throw wrong()
    padding += more
    const isPadded = padding > 0
    if (padding > MAX_PADDING || !ALPHABET.test(plain) || (isPadded && plain.length % 4 === 1)) throw wrong()
    const whole = isPadded ? plain.length : plain.length - (plain.length % 4)
    rest = isPadded ? '' : plain.slice(whole)
    if (whole > 0) yield Buffer.from(plain.slice(0, whole), 'base64')
  }
  if (rest.length === 1) throw wrong()
  if (rest !== '') yield Buffer.from(rest, 'base64')
}

/** Bytes that were taken in, in a file that nobody knows yet. */
export interface ReceivedFile {
  key: string
  size: number
  /** Whether an upload has it, or may have it: then it is not discarded. */
  mayBeTaken?: boolean
}

const BASE64 = 'media_data'

type FileServices = Pick<UploadServices, 'mediaFiles' | 'receipts' | 'ids'>

/** Makes a file of what comes. */
export async function receiveFile(
  userId: string,
  bytes: AsyncIterable<Uint8Array>,
  { mediaFiles, receipts, ids }: FileServices,
): Promise<ReceivedFile> {
  const key = SEGMENTS + ids.next()
  try {
    const { size } = await mediaFiles.write(key, receipts.count(userId, bytes), { maxBytes: MAX_MEDIA_BYTES })
    return { key, size }
  } catch (error) {
    if (error instanceof TooLarge) throw new Problem('too-large', { detail: `media is larger than ${MAX_MEDIA_BYTES} bytes.` })
    throw error
  }
}

/** Removes a file that nobody has; if that is not possible now, it is swept. */
async function discardFile({ key, mayBeTaken }: ReceivedFile, { mediaFiles }: FileServices) {
  if (!mayBeTaken) await mediaFiles.remove([key]).catch(() => {})
}

/** The bytes of media as a part of a multipart body: as they are in `media`, as base64 in `media_data`. */
export const mediaParts = <C extends Caller & { user: { id: string } }>(...parts: ('media' | 'media_data')[]) =>
  ({
    parts,
    description: 'The bytes of the file, or of a segment of it.',
    maxBytes: MAX_MEDIA_BYTES,
    receive: ({ name, bytes }, { user }, services) => receiveFile(user.id, name === BASE64 ? decodeBase64(name, bytes) : bytes, services),
    discard: discardFile,
  }) satisfies StreamedBody<ReceivedFile, C, FileServices>

async function* once(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text, 'latin1')
}

/** How bytes came: in a part that was streamed, or as base64 in a parameter. */
export interface SentBytes {
  received: ReceivedFile | undefined
  /** The name of the parameter, and its value. */
  base64: [name: string, text: string | undefined]
  userId: string
}

/**
 * Runs with the file of the bytes that a request brought. If that rejects, the file of a parameter is discarded here, and one that was streamed
 * by the server. Throws 400 where no bytes came.
 */
export async function withFile<T>(
  { received, base64: [name, text], userId }: SentBytes,
  services: FileServices,
  run: (file: ReceivedFile) => Promise<T>,
): Promise<T> {
  if (received) {
    if (received.size === 0) throw mediaProblem('is empty')
    return run(received)
  }
  if (text === undefined) throw mediaProblem('is required', name)
  const file = await receiveFile(userId, decodeBase64(name, once(text)), services)
  try {
    if (file.size === 0) throw mediaProblem('is empty')
    return await run(file)
  } catch (error) {
    await discardFile(file, services)
    throw error
  }
}
