import type { Readable } from 'node:stream'
import { Unavailable } from './unavailable.ts'

/** Bytes of a file, both ends inclusive. */
export interface ByteRange {
  start: number
  end: number
}

/** A file of media: its whole size, and the bytes that were asked for. */
export interface MediaFile {
  size: number
  stream: Readable
}

/**
 * Where the bytes of media are: a folder, or S3 for a fleet, never the database. A key is made of letters, digits, `_`, `-`, `.` and
 * `/`. A file is there whole or not at all.
 */
export interface MediaFiles {
  /**
   * Streams to a temporary name, syncs, renames; replaces a file of the same key. Resolves when the file is durable.
   * @throws TooLarge beyond `maxBytes`, StorageFull, and whatever `bytes` throws; nothing is left then, and a former file stays.
   */
  write(key: string, bytes: AsyncIterable<Uint8Array>, options: { maxBytes: number }): Promise<{ size: number }>
  /**
   * Makes one file of the parts, in their order, and leaves the parts. It may be called again after it was cut off.
   * @throws MissingPart, StorageFull.
   */
  join(key: string, parts: readonly string[]): Promise<{ size: number }>
  /** Undefined if there is no such file. `forClient`: it is read as slowly as a client likes, and takes no connection from other work. */
  read(key: string, range?: ByteRange, options?: { forClient: boolean }): Promise<MediaFile | undefined>
  /** How many bytes a file has, without reading it; undefined if there is no such file. */
  size(key: string): Promise<number | undefined>
  /** Keys without a file are passed over. */
  remove(keys: readonly string[]): Promise<void>
  /** The keys that begin so, in no order; for removing what nobody knows any more. */
  list(prefix: string): Promise<string[]>
  /** Removes what writes left that were cut off more than an hour ago. */
  sweep(): Promise<void>
  /** The same files. Once the signal is aborted, calls that are under way end, and they and later ones reject with its reason. */
  until(signal: AbortSignal): MediaFiles
}

/** Files of media, each in a folder of its own. */
export const MEDIA = 'media/'

/** Files of segments; one that no upload has is removed. */
export const SEGMENTS = 'segments/'

/** All that Postern has in a store: what else is there is somebody else's. */
export const FOLDERS = [MEDIA, SEGMENTS] as const

/** Where the files of media are: `original` is what was uploaded. Everything with this prefix goes with the media. */
export const folderOfMedia = (mediaKey: string): string => `${MEDIA}${mediaKey}/`

/** The file that was uploaded. */
export const originalOf = (mediaKey: string): string => `${folderOfMedia(mediaKey)}original`

/** Its first frame, where there is one. */
export const posterOf = (mediaKey: string): string => `${folderOfMedia(mediaKey)}poster`

/** The file of a segment is not there. The message is for people. */
export class MissingPart extends Error {
  constructor(options?: ErrorOptions) {
    super('a part of the file is missing here; upload it again', options)
  }
}

/** More bytes came than the caller allowed. */
export class TooLarge extends Error {
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`)
    this.maxBytes = maxBytes
  }
}

/** There is no room for the file: the disk is full, or a quota is used up. Answered with 503. */
export class StorageFull extends Unavailable {
  constructor(options?: ErrorOptions) {
    super('There is no room for more media. Nothing was changed; retry later.', options)
  }
}
