import { recordTypes } from './endpoints/index.ts'
import { createClock } from './lib/clock.ts'
import { VERSION } from './lib/version.ts'
import { readPlaces } from './settings/settings.ts'
import * as backups from './storage/backup/backup.ts'
import { defaultMediaStore, openMediaFiles } from './storage/media-files/open-media-files.ts'

export { SettingsError } from './settings/mistakes.ts'
export { BackupError, type Manifest, verifyBackup } from './storage/backup/backup.ts'

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

/** Only the owner can read what this process writes. */
function findPlaces({ folder, database, mediaStore, withoutMedia }: Places) {
  process.umask(0o077)
  const set = readPlaces()
  const { databaseUrl: url } = database === undefined ? set : readPlaces({ POSTERN_DATABASE_URL: database })
  const store = mediaStore ?? set.mediaStore ?? defaultMediaStore(url)
  return { folder, url, media: withoutMedia ? undefined : openMediaFiles(store, clock) }
}

/** Backs up the database and media while servers use them. Throws a `BackupError` with a sentence for the operator. */
export const backUp = (places: Places): Promise<backups.Manifest> => backups.backUp({ ...findPlaces(places), version: VERSION, nowMs })

/** Restores a backup into an empty database. Throws a `BackupError` with a sentence for the operator. */
export const restore = ({ asCopy, ...places }: Places & { database: string; asCopy: boolean }): Promise<backups.Manifest> =>
  backups.restore({ ...findPlaces(places), recordTypes, asCopy, nowMs })
