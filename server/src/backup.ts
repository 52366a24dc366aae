import { recordTypes } from './endpoints/index.ts'
import { createClock } from './lib/clock.ts'
import { VERSION } from './lib/version.ts'
import { readPlaces } from './settings/settings.ts'
import * as backups from './storage/backup/backup.ts'
import { BackupError, hasMedia, type Manifest, readManifest } from './storage/backup/manifest.ts'
import { defaultMediaStore, openMediaFiles } from './storage/media-files/open-media-files.ts'

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

/**
 * Where the database, the event logs and the media are, as far as somebody says. The media of PostgreSQL are where its servers have them. A
 * database that is named is meant alone.
 */
function findPlaces({ database, mediaStore }: Places): { url: string; logUrls: readonly string[] | undefined; store: string | undefined } {
  // Only the owner can read what this process writes.
  process.umask(0o077)
  const set = readPlaces()
  const { databaseUrl: url } = database === undefined ? set : readPlaces({ POSTERN_DATABASE_URL: database })
  const logUrls = database === undefined ? (set.logUrls ?? []) : undefined
  return { url, logUrls, store: mediaStore ?? set.mediaStore ?? (url.startsWith('sqlite:') ? defaultMediaStore(url) : undefined) }
}

const unknownStore = (where: string) =>
  new BackupError(`${where}: name POSTERN_MEDIA_STORE or --media as the servers have it, or leave media out with --without-media.`)

/** Backs up the database, its event logs and media while servers use them. Throws a `BackupError` with a sentence for the operator. */
export async function backUp(places: Places): Promise<Manifest> {
  const { url, logUrls, store } = findPlaces(places)
  const { folder, withoutMedia } = places
  if (store === undefined && !withoutMedia) throw unknownStore('PostgreSQL does not tell where the media are')
  const media = store === undefined || withoutMedia ? undefined : openMediaFiles(store, clock)
  return backups.backUp({ folder, url, logUrls, media, version: VERSION, nowMs })
}

interface RestorePlaces extends Places {
  database: string
  /** Where the event logs go that the backup has beside the database, by their numbers. */
  logUrls: ReadonlyMap<number, string>
  asCopy: boolean
}

/** Restores a backup into an empty database, and one for each of its event logs. Throws a `BackupError` with a sentence for the operator. */
export async function restore({ asCopy, logUrls, ...places }: RestorePlaces): Promise<backups.Restored> {
  const { url, store } = findPlaces(places)
  const { folder, withoutMedia } = places
  if (store === undefined && !withoutMedia && hasMedia(await readManifest(folder))) throw unknownStore('The backup has media')
  const media = store === undefined || withoutMedia ? undefined : openMediaFiles(store, clock)
  return backups.restore({ folder, url, logUrls, media, recordTypes, asCopy, nowMs })
}
