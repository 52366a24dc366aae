import { lstatSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { randomAlphanumeric } from '../../lib/crypto.ts'
import { lazy } from '../../lib/lazy.ts'
import { isAlive, isOwn } from '../../lib/running-server.ts'
import type { MediaFiles } from '../media-files.ts'
import type { StorageLog } from '../storage-log.ts'
import { createMediaFolder } from './folder.ts'
import { readS3Place } from './s3-place.ts'

const isS3 = (store: string) => store.startsWith('s3:')

const S3_LIBRARY = '@aws-sdk/client-s3'

/** The package `postern` does not bring it: it would be two fifths of what users install, and few keep media in a bucket. */
function assertLibrary() {
  try {
    import.meta.resolve(S3_LIBRARY)
  } catch {
    throw new Error(
      `names a bucket, for which Postern needs the package ${S3_LIBRARY}: install it beside postern (npm install ${S3_LIBRARY})`,
    )
  }
}

/** Throws an Error whose message follows the name of the setting. */
export function readMediaStore(text: string): string {
  if (isS3(text)) {
    readS3Place(text)
    assertLibrary()
  } else if (/^[a-z][a-z0-9+.-]+:/i.test(text)) throw new Error(`must be a folder, or s3://bucket/prefix, not "${text}"`)
  return text
}

const SQLITE = /^sqlite:(?!:memory:)(.+)$/

/** The folder of media where no other is set: beside the SQLite file. */
export const defaultMediaStore = (databaseUrl: string): string =>
  join(dirname(SQLITE.exec(databaseUrl)?.[1] ?? '.postern/postern.db'), 'media')

const NAME_LENGTH = 16
const OWNER_ONLY = 0o700

/** Numbers of processes count in a namespace: containers may share a folder of temporary files. 0 where the system has none. */
const namespace = () => statSync('/proc/self/ns/pid', { throwIfNoEntry: false })?.ino ?? 0

const temporaryPrefix = () => join(tmpdir(), `postern-media-${namespace()}-`)

/** Removes the temporary folders of media whose processes were killed. */
function removeEnded(prefix: string) {
  for (const name of readdirSync(dirname(prefix))) {
    const path = join(dirname(prefix), name)
    const pid = path.startsWith(prefix) ? Number.parseInt(path.slice(prefix.length), 10) : Number.NaN
    if (pid > 0 && !isAlive(pid) && isOwn(lstatSync(path))) rmSync(path, { recursive: true, force: true })
  }
}

/** A new name for a folder of media that end with their server. Those that servers of ended processes left are removed. */
export function temporaryMediaFolder(): string {
  const prefix = temporaryPrefix()
  try {
    removeEnded(prefix)
  } catch {
    // Another process removes the same one, or there is no folder of temporary files: the first write says so.
  }
  return `${prefix}${process.pid}-${randomAlphanumeric(NAME_LENGTH)}`
}

/** A store whose code is loaded with its first call: most servers have a folder. */
function loadedLater(load: () => Promise<MediaFiles>): MediaFiles {
  const store = lazy(load)
  return {
    write: async (...call) => (await store()).write(...call),
    join: async (...call) => (await store()).join(...call),
    read: async (...call) => (await store()).read(...call),
    size: async (...call) => (await store()).size(...call),
    remove: async (...call) => (await store()).remove(...call),
    list: async (...call) => (await store()).list(...call),
    sweep: async () => (await store()).sweep(),
    until: (signal) => loadedLater(async () => (await store()).until(signal)),
  }
}

/** Where the files of media are: a folder, or `s3://bucket/prefix?endpoint=…&region=…`. Nothing is opened before it is used. */
export function openMediaFiles(store: string, clock: Clock, log?: StorageLog): MediaFiles {
  if (!isS3(store)) return createMediaFolder(store, store.startsWith(temporaryPrefix()) ? OWNER_ONLY : undefined)
  const place = readS3Place(store)
  return loadedLater(async () => (await import('./s3.ts')).createMediaS3(place, clock, log))
}
