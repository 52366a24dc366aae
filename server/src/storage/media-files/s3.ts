import { Readable } from 'node:stream'
import type { Clock } from '../../lib/clock.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { type ByteRange, FOLDERS, type MediaFile, type MediaFiles, MissingPart, TooLarge } from '../media-files.ts'
import type { StorageLog } from '../storage-log.ts'
import { createS3Calls, isBeyondEnd, isNoSuchObject, type S3Calls } from './s3-calls.ts'
import type { S3Place } from './s3-place.ts'

/** A file of at most so many bytes is written by one call, a larger one in parts of so many; memory holds two of them. */
const PART_BYTES = 8 * 1024 * 1024

interface Target {
  Bucket: string
  Key: string
}

/** The bytes in parts of the same length, but for the last. Throws `TooLarge`. */
async function* partsOf(bytes: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0
  let held: Uint8Array[] = []
  let heldBytes = 0
  for await (const piece of bytes) {
    size += piece.length
    if (size > maxBytes) throw new TooLarge(maxBytes)
    held.push(piece)
    heldBytes += piece.length
    if (heldBytes < PART_BYTES) continue
    const all = Buffer.concat(held)
    let at = 0
    for (; all.length - at >= PART_BYTES; at += PART_BYTES) yield all.subarray(at, at + PART_BYTES)
    held = [all.subarray(at)]
    heldBytes = all.length - at
  }
  if (heldBytes > 0) yield Buffer.concat(held)
}

/** Writes parts one after another, and makes them one object; aborts when that fails. */
async function writeParts({ call }: S3Calls, target: Target, parts: AsyncIterable<Buffer>): Promise<number> {
  const { UploadId } = await call((s3, send) => send(new s3.CreateMultipartUploadCommand(target)))
  const upload = { ...target, UploadId }
  const done: { PartNumber: number; ETag: string | undefined }[] = []
  let size = 0
  try {
    for await (const Body of parts) {
      const PartNumber = done.length + 1
      const { ETag } = await call((s3, send) => send(new s3.UploadPartCommand({ ...upload, PartNumber, Body })))
      done.push({ PartNumber, ETag })
      size += Body.length
    }
    await call((s3, send) => send(new s3.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: done } })))
    return size
  } catch (error) {
    // Whoever waits hears of the error first: a bucket that is silent would not answer this either. What stays is swept.
    void call((s3, send) => send(new s3.AbortMultipartUploadCommand(upload))).catch(() => {})
    throw error
  }
}

async function* startingWith(first: readonly Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* first
  yield* rest
}

/** Writes an object, which is there once all of it is; a former one stays until then. Answers its size. */
async function writeObject(calls: S3Calls, target: Target, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<number> {
  const parts = partsOf(bytes, maxBytes)
  try {
    const first = await parts.next()
    const second = first.done ? first : await parts.next()
    if (!second.done) return await writeParts(calls, target, startingWith([first.value as Buffer, second.value], parts))
    const Body = first.value ?? Buffer.alloc(0)
    await calls.call((s3, send) => send(new s3.PutObjectCommand({ ...target, Body })))
    return Body.length
  } finally {
    await parts.return(undefined)
  }
}

/** A call removes so many objects. */
const REMOVED_AT_ONCE = 1000

/** How long a write can take at most: what is older was cut off. */
const CUT_OFF_MS = HOUR_MS

function notFound(error: unknown): undefined {
  if (!isNoSuchObject(error)) throw error
}

/** The whole size, of which `bytes 0-99/1234` tells the end. */
function sizeOf({ ContentRange, ContentLength }: { ContentRange?: string; ContentLength?: number }): number {
  return ContentRange === undefined ? (ContentLength ?? 0) : Number(ContentRange.split('/')[1])
}

/** A body that comes, until the signal ends it. */
function endOn(signal: AbortSignal | undefined, body: Readable): Readable {
  if (!signal) return body
  const end = () => void body.destroy(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  return body.once('close', () => signal.removeEventListener('abort', end))
}

/** Errors of a body that comes, as those of calls. */
async function* checked(stream: AsyncIterable<Uint8Array>, { asUnavailable }: S3Calls): AsyncGenerator<Uint8Array> {
  try {
    yield* stream
  } catch (error) {
    throw asUnavailable(error)
  }
}

/** Aborts writes with this prefix that were cut off long ago: their parts are in no list of objects, and are paid for. */
async function abortCutOff({ call }: S3Calls, Bucket: string, Prefix: string, beforeMs: number) {
  const { Uploads = [] } = await call(async (s3, send) =>
    send(new s3.ListMultipartUploadsCommand({ Bucket, Prefix })).catch((error) => {
      // Some compatible servers cannot list them.
      if ((error as Error).name !== 'NotImplemented') throw error
      return { Uploads: [] }
    }),
  )
  for (const { Key, UploadId, Initiated } of Uploads)
    if (Initiated && Initiated.getTime() < beforeMs)
      await call((s3, send) => send(new s3.AbortMultipartUploadCommand({ Bucket, Key, UploadId }))).catch(notFound)
}

/** Media in S3, for processes on several machines. Objects are there whole or not at all. */
export const createMediaS3 = (place: S3Place, clock: Clock, log?: StorageLog): MediaFiles =>
  filesOf(place, clock, createS3Calls(place, clock, log))

function filesOf(place: S3Place, clock: Clock, calls: S3Calls): MediaFiles {
  const { bucket: Bucket, prefix } = place
  const { call, signal } = calls
  const targetOf = (key: string) => ({ Bucket, Key: `${prefix}${key}` })
  const head = (key: string) => call((s3, send) => send(new s3.HeadObjectCommand(targetOf(key))))

  const read = async (key: string, range?: ByteRange, { forClient = false } = {}): Promise<MediaFile | undefined> => {
    const Range = range && `bytes=${range.start}-${range.end}`
    const get = call((s3, send) => send(new s3.GetObjectCommand({ ...targetOf(key), Range })), forClient ? 'clients' : 'work')
    const got = await get.catch(async (error) => {
      if (!isBeyondEnd(error)) return notFound(error)
      return { ContentLength: (await head(key)).ContentLength ?? 0, Body: Readable.from([]) }
    })
    return got && { size: sizeOf(got), stream: endOn(signal, got.Body as Readable) }
  }

  async function* bytesOf(keys: readonly string[]): AsyncGenerator<Uint8Array> {
    for (const key of keys) {
      const file = await read(key)
      if (!file) throw new MissingPart()
      yield* checked(file.stream, calls)
    }
  }

  /** The server copies a single part by itself. It cannot join others: all but the last must have 5 MB then, and those of clients have less. */
  const copy = async (key: string, from: string) => {
    await call((s3, send) => send(new s3.CopyObjectCommand({ ...targetOf(key), CopySource: `${Bucket}/${prefix}${from}` }))).catch(
      (error) => {
        throw isNoSuchObject(error) ? new MissingPart({ cause: error }) : error
      },
    )
    return (await head(key)).ContentLength ?? 0
  }

  return {
    read,
    size: async (key) => (await head(key).catch(notFound))?.ContentLength,
    write: async (key, bytes, { maxBytes }) => ({ size: await writeObject(calls, targetOf(key), bytes, maxBytes) }),
    async join(key, parts) {
      if (parts.length === 1) return { size: await copy(key, parts[0]!) }
      return { size: await writeObject(calls, targetOf(key), bytesOf(parts), Number.POSITIVE_INFINITY) }
    },
    async remove(keys) {
      for (let at = 0; at < keys.length; at += REMOVED_AT_ONCE) {
        const Objects = keys.slice(at, at + REMOVED_AT_ONCE).map((key) => ({ Key: `${prefix}${key}` }))
        await call(async (s3, send) => {
          const { Errors = [] } = await send(new s3.DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }))
          if (Errors[0]) throw new Error(`${Errors[0].Code}: ${Errors[0].Message}`)
        })
      }
    },
    async list(start) {
      const found: string[] = []
      let ContinuationToken: string | undefined
      do {
        const Prefix = `${prefix}${start}`
        const page = await call((s3, send) => send(new s3.ListObjectsV2Command({ Bucket, Prefix, ContinuationToken })))
        found.push(...(page.Contents ?? []).map(({ Key }) => Key!.slice(prefix.length)))
        ContinuationToken = page.NextContinuationToken
      } while (ContinuationToken !== undefined)
      return found
    },
    async sweep() {
      // Others may write to the same bucket.
      for (const folder of FOLDERS) await abortCutOff(calls, Bucket, `${prefix}${folder}`, clock.now() - CUT_OFF_MS)
    },
    until: (until) => filesOf(place, clock, calls.until(until)),
  }
}
