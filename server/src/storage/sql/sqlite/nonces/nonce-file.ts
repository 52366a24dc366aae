import { hash } from 'node:crypto'
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants

const OWNER_ONLY = 0o600

const MAGIC = Buffer.from('postern nonces 1')
export const KEY_BYTES = 32
const CHECK_BYTES = 16
export const HEADER_BYTES = MAGIC.length + KEY_BYTES + CHECK_BYTES

/** A fingerprint. */
export const RECORD_BYTES = 8

/**
 * An append-only file of fingerprints: a header of 64 bytes (magic, key, checksum), then 8 bytes each, in the byte order of the machine.
 * A record is not checked: whatever it is changed to, it can only refuse a nonce that nobody will ever send.
 */
export interface NonceFile {
  /** Appends the records, or throws and has appended none. */
  append(words: Uint32Array): void
  /** Whether the file is still where it was created, with all its records. */
  isInPlace(): boolean
  /** Never throws: whatever the system answers, the descriptor is free for another file. */
  close(): void
}

/** A file that was read. */
export interface ReadNonceFile {
  key: Buffer
  /** Two for each fingerprint. */
  words: Uint32Array
  file: NonceFile
}

const checkOf = (name: string, key: Uint8Array) =>
  Buffer.from(hash('sha256', `${name} ${Buffer.from(key).toString('hex')}`, 'hex').slice(0, CHECK_BYTES * 2), 'hex')

const headerOf = (name: string, key: Uint8Array) => Buffer.concat([MAGIC, key, checkOf(name, key)])

const bytesOf = (words: Uint32Array) => new Uint8Array(words.buffer, words.byteOffset, words.byteLength)

function writeWhole(descriptor: number, bytes: Uint8Array, position: number) {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done, bytes.length - done, position + done)
}

function fileOn(descriptor: number, path: string, sizeBytes: number): NonceFile {
  const { dev, ino } = fstatSync(descriptor)
  let endBytes = sizeBytes
  return {
    append(words) {
      const bytes = bytesOf(words)
      try {
        writeWhole(descriptor, bytes, endBytes)
      } catch (error) {
        cutTo(descriptor, endBytes)
        throw error
      }
      endBytes += bytes.length
    },
    isInPlace() {
      const found = statSync(path, { throwIfNoEntry: false })
      return found?.ino === ino && found.dev === dev && found.size >= endBytes
    },
    close() {
      try {
        closeSync(descriptor)
      } catch {}
    },
  }
}

/** Removes what was written of refused records. If that fails, the next write begins at the same position. */
function cutTo(descriptor: number, sizeBytes: number) {
  try {
    ftruncateSync(descriptor, sizeBytes)
  } catch {}
}

/** Creates the file with these records. What is in its place, a link too, is removed. `name` is part of the checksum. */
export function createNonceFile(path: string, name: string, key: Uint8Array, words: Uint32Array): NonceFile {
  rmSync(path, { force: true })
  const descriptor = openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, OWNER_ONLY)
  try {
    writeWhole(descriptor, headerOf(name, key), 0)
    const file = fileOn(descriptor, path, HEADER_BYTES)
    file.append(words)
    return file
  } catch (error) {
    closeSync(descriptor)
    rmSync(path, { force: true })
    throw error
  }
}

/** The key of a header; undefined if it is damaged, incomplete or another file's. */
function readKey(bytes: Buffer, name: string): Buffer | undefined {
  const key = bytes.subarray(MAGIC.length, MAGIC.length + KEY_BYTES)
  return bytes.subarray(0, HEADER_BYTES).equals(headerOf(name, key)) ? key : undefined
}

/** The whole records after the header. An incomplete one at the end, or what is left of a file of zeros, was never answered. */
function readWords(bytes: Buffer): Uint32Array {
  const records = bytes.subarray(HEADER_BYTES, HEADER_BYTES + wholeRecords(bytes.length) * RECORD_BYTES)
  return new Uint32Array(records.buffer.slice(records.byteOffset, records.byteOffset + records.length))
}

const wholeRecords = (sizeBytes: number) => Math.floor((sizeBytes - HEADER_BYTES) / RECORD_BYTES)

/** ELOOP: it is a link. */
const isLink = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ELOOP'

function openExisting(path: string): number | undefined {
  try {
    return openSync(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if (isLink(error)) return undefined
    throw error
  }
}

/**
 * Opens a file and reads its records. An incomplete record at its end is overwritten by the next one.
 * Answers undefined if it is no such file: damaged by a power failure, of another name, larger than `maxRecords`, or a link.
 */
export function openNonceFile(path: string, name: string, maxRecords: number): ReadNonceFile | undefined {
  const descriptor = openExisting(path)
  if (descriptor === undefined) return undefined
  try {
    const found = fstatSync(descriptor)
    const isReadable = found.isFile() && wholeRecords(found.size) <= maxRecords
    const bytes = isReadable ? readFileSync(descriptor) : Buffer.alloc(0)
    const key = readKey(bytes, name)
    if (key) {
      const words = readWords(bytes)
      return { key, words, file: fileOn(descriptor, path, HEADER_BYTES + words.byteLength) }
    }
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
  closeSync(descriptor)
  return undefined
}
