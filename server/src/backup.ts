import { recordTypes } from './endpoints/index.ts'
import { createClock } from './lib/clock.ts'
import { VERSION } from './lib/version.ts'
import { readPlaces } from './settings/settings.ts'
import * as backups from './storage/backup/backup.ts'
import { BackupError, hasMedia, type Manifest, readManifest } from './storage/backup/manifest.ts'
import { defaultMediaStore, openMediaFiles } from './storage/media-files/open-media-files.ts'
import { placeOf } from './storage/postgres/place.ts'

export { SettingsError } from './settings/mistakes.ts'
export { verifyBackup } from './storage/backup/backup.ts'
export { BackupError, type Manifest } from './storage/backup/manifest.ts'
export { isUnavailable } from './storage/unavailable.ts'

const clock = createClock()
const nowMs = () => clock.now()

/** What is backed up, or restored to. What is left out is that of the environment. */
interface Places {
  folder: string
  /** `sqlite:<path>` or `postgres://…`. */
  database?: string | undefined
  /** A folder, or `s3://…`. */
  mediaStore?: string | undefined
  withoutMedia?: boolean
}

/** Throws where the events are in several databases: a backup is of one. */
function assertOneDatabase({ databaseUrl, logUrls = [] }: ReturnType<typeof readPlaces>) {
  const others = logUrls.filter((url) => placeOf(url) !== placeOf(databaseUrl)).map(placeOf)
  if (others.length === 0) return
  throw new BackupError(
    `POSTERN_LOG_URLS names event logs besides POSTERN_DATABASE_URL (${others.join(', ')}), and a backup is of one database. Back up each by itself with --database, that of POSTERN_DATABASE_URL last.`,
  )
}

/** Where the database and the media are, as far as somebody says. The media of PostgreSQL are where its servers have them. */
function findPlaces({ database, mediaStore }: Places): { url: string; store: string | undefined } {
  // Only the owner can read what this process writes.
  process.umask(0o077)
  const set = readPlaces()
  if (database === undefined) assertOneDatabase(set)
  const { databaseUrl: url } = database === undefined ? set : readPlaces({ POSTERN_DATABASE_URL: database })
  return { url, store: mediaStore ?? set.mediaStore ?? (url.startsWith('sqlite:') ? defaultMediaStore(url) : undefined) }
}

const unknownStore = (where: string) =>
  new BackupError(`${where}: name POSTERN_MEDIA_STORE or --media as the servers have it, or leave media out with --without-media.`)

/** Backs up the database and media while servers use them. Throws a `BackupError` with a sentence for the operator. */
export async function backUp(places: Places): Promise<Manifest> {
  const { url, store } = findPlaces(places)
  const { folder, withoutMedia } = places
  if (store === undefined && !withoutMedia) throw unknownStore('PostgreSQL does not tell where the media are')
  const media = store === undefined || withoutMedia ? undefined : openMediaFiles(store, clock)
  return backups.backUp({ folder, url, media, version: VERSION, nowMs })
}

/** Restores a backup into an empty database. Throws a `BackupError` with a sentence for the operator. */
export async function restore({ asCopy, ...places }: Places & { database: string; asCopy: boolean }): Promise<Manifest> {
  const { url, store } = findPlaces(places)
  const { folder, withoutMedia } = places
  if (store === undefined && !withoutMedia && hasMedia(await readManifest(folder))) throw unknownStore('The backup has media')
  const media = store === undefined || withoutMedia ? undefined : openMediaFiles(store, clock)
  return backups.restore({ folder, url, media, recordTypes, asCopy, nowMs })
}
