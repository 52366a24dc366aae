import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { VERSION } from '../../lib/version.ts'

/** A refusal of a backup or a restore, as sentences for the operator. */
export class BackupError extends Error {}

/** A file of a backup, by its path in the folder. */
export interface BackedUpFile {
  path: string
  bytes: number
  sha256: string
}

/** A table, and the file that has its rows. */
export interface BackedUpTable {
  name: string
  file: string
  rows: number
}

/** Which migrations each part of the database has run. On PostgreSQL those of the state are all there are. */
export interface RunMigrations {
  state: string[]
  event_log: string[]
  audiences: string[]
}

/** One of several event logs, in a folder of the backup of its state, which is a backup by itself. */
export interface BackedUpLog {
  log: number
  /** Its server and database, without user and password. */
  place: string
  rows: number
  bytes: number
}

/** What a backup says of itself: `manifest.json` in its folder, written last. */
export interface Manifest {
  format: 1
  /** The version of Postern that made it. */
  version: string
  /** The moment that it shows, in UTC. */
  made_at: string
  database: 'sqlite' | 'postgres'
  migrations: RunMigrations
  tables: BackedUpTable[]
  /** The newest numbers of identity columns, by table. */
  sequences: Record<string, number>
  /** Whether the files of media are in it. */
  media: boolean
  /** The event logs besides that in the database of the state. Each is checked by the checksum of its manifest. */
  logs?: BackedUpLog[]
  /** The event logs with slots or events that are not in the backup, because the database of the state was named alone. */
  logs_left_out?: Pick<BackedUpLog, 'log' | 'place'>[]
  files: BackedUpFile[]
}

export const MANIFEST = 'manifest.json'
export const MEDIA = 'media'

/** The folder of an event log in the backup of its state. */
export const logFolder = (log: number): string => `logs/${log}`

/** The files that a backup can have. None is absolute or leads out of its folder. */
const FILE =
  /^(?:postern\.db(?:\.events|\.audiences)?|tables\/\w+\.ndjson\.gz|logs\/\d+\/manifest\.json|media(?:\/(?!\.{1,2}(?:\/|$))[\w.-]+)+)$/
/** Names of tables stand in SQL. */
const NAME = /^\w+$/

const isName = (value: unknown) => typeof value === 'string' && NAME.test(value)
const isCount = (value: unknown) => typeof value === 'number' && Number.isSafeInteger(value)

/** Whether a value that was read has all that a manifest has. */
const isWhole = ({ tables, files, migrations, sequences, logs = [], logs_left_out = [] }: Partial<Manifest>) =>
  [tables, files, logs, logs_left_out].every((parts) => Array.isArray(parts)) &&
  [migrations?.state, migrations?.event_log, migrations?.audiences].every((names) => Array.isArray(names)) &&
  typeof sequences === 'object' &&
  sequences !== null

/** Says which part of a manifest no backup has, if there is one: whoever can write to the folder may have changed it. */
function strangePart({ tables, files, sequences, logs = [], logs_left_out = [] }: Manifest): string | undefined {
  const paths = new Set(files.map((file) => file?.path))
  const strange: unknown[] = [
    ...files.filter((file) => !FILE.test(file?.path) || !isCount(file.bytes)),
    ...tables.filter((table) => !isName(table?.name) || !isCount(table.rows) || !paths.has(table.file)),
    ...Object.entries(sequences).filter(([name, newest]) => !isName(name) || !isCount(newest)),
    ...logs.filter((one) => !isCount(one?.log) || !paths.has(`${logFolder(one.log)}/${MANIFEST}`)),
    ...logs_left_out.filter((one) => !isCount(one?.log) || typeof one.place !== 'string'),
  ]
  return strange.length === 0 ? undefined : `it has ${JSON.stringify(strange[0])}, which no backup of this format has`
}

/** Reads the manifest of a backup. Throws if the folder is no backup, or an incomplete one. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => {
    throw new BackupError(`${folder} has no ${MANIFEST}: it is no backup, or one that was interrupted. Nothing was read from it.`)
  })
  const damaged = (why: string) => new BackupError(`${join(folder, MANIFEST)} is damaged: ${why}. Use another backup.`)
  let manifest: Manifest | null
  try {
    manifest = JSON.parse(text)
  } catch {
    throw damaged('it is not JSON')
  }
  if (manifest?.format === undefined) throw damaged('it has no format')
  if (manifest.format === 1) {
    if (!isWhole(manifest)) throw damaged('parts are missing')
    const strange = strangePart(manifest)
    if (strange !== undefined) throw damaged(strange)
    return manifest
  }
  throw new BackupError(
    `${folder} has the format ${manifest.format}, which this Postern does not know: use version ${manifest.version} or a newer one.`,
  )
}

/** Whether files of media are in it. */
export const hasMedia = ({ files }: Manifest): boolean => files.some(({ path }) => path.startsWith(`${MEDIA}/`))

/** Throws if a newer version has used the database of the backup. The command that made the backup may be older than that. */
export function assertKnown({ migrations }: Manifest, known: RunMigrations): void {
  const unknown = (['state', 'event_log', 'audiences'] as const).flatMap((part) =>
    migrations[part].filter((name) => !known[part].includes(name)),
  )
  if (unknown.length === 0) return
  throw new BackupError(
    `The backup is newer than this Postern: it has run the migration ${unknown.join(', ')}. Restore it with a version newer than ${VERSION}.`,
  )
}
