import type { Clock } from '../../lib/clock.ts'
import type { MediaFiles } from '../media-files.ts'
import type { StorageLog } from '../storage-log.ts'
import { createMediaFolder } from './folder.ts'
import { createMediaS3 } from './s3.ts'
import { readS3Place } from './s3-place.ts'

const isS3 = (store: string) => store.startsWith('s3:')

/** Throws an Error whose message follows the name of the setting. */
export function readMediaStore(text: string): string {
  if (isS3(text)) readS3Place(text)
  else if (/^[a-z][a-z0-9+.-]+:/i.test(text)) throw new Error(`must be a folder, or s3://bucket/prefix, not "${text}"`)
  return text
}

/** Where the files of media are: a folder, or `s3://bucket/prefix?endpoint=…&region=…`. Nothing is opened before it is used. */
export const openMediaFiles = (store: string, clock: Clock, log?: StorageLog): MediaFiles =>
  isS3(store) ? createMediaS3(readS3Place(store), clock, log) : createMediaFolder(store)
