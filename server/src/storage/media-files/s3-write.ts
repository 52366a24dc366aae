import { TooLarge } from '../media-files.ts'
import type { S3Calls } from './s3-calls.ts'

/** A file of at most so many bytes is written by one call, a larger one in parts of so many; memory holds two of them. */
export const PART_BYTES = 8 * 1024 * 1024

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

/** Writes parts one after another, and makes them one object; aborts when that fails, so that none of them stays. */
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
    await call((s3, send) => send(new s3.AbortMultipartUploadCommand(upload))).catch(() => {})
    throw error
  }
}

async function* startingWith(first: readonly Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* first
  yield* rest
}

/** Writes an object, which is there once all of it is; a former one stays until then. Answers its size. */
export async function writeObject(calls: S3Calls, target: Target, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<number> {
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
