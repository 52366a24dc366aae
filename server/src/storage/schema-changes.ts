import { FORMER_RELEASE, RELEASE, RELEASES, VERSION } from '../lib/version.ts'

/** What a migration does to processes of the former release, which may run beside: it only adds to what they use, or it takes away. */
export type MigrationKind = 'expand' | 'contract'

/**
 * A row of the table `schema_changes`: a migration, or that a release has used the database. Version 0.2.0 does not read the table, and
 * refuses a database with an unknown name in the table `migrations`: that one has the migrations of 0.2, and those that contract.
 */
export interface SchemaChange {
  name: string
  kind: MigrationKind | 'release'
  /** The release that brought it. */
  version: string
  /** The release before that one. */
  former_version: string
  /** Of a migration that contracts: the first release that does not use what it removes. */
  unused_since: string | null
}

export const CREATE_SCHEMA_CHANGES = `create table if not exists schema_changes (
  name varchar(255) not null primary key, kind varchar(16) not null, version varchar(16) not null, former_version varchar(16) not null,
  unused_since varchar(16), "timestamp" varchar(255) not null
)`

/**
 * A name in the table `migrations` while several databases carry the event log: version 0.2 would append all events to the one that it knows,
 * and refuses a database with a name that it does not know. It is no migration.
 */
export const SEVERAL_LOGS = 'several-event-logs'

export const SELECT_SCHEMA_CHANGES = 'select name, kind, version, former_version, unused_since from schema_changes'

/** Selects the names of all migrations that a database with these tables has run, in order. */
export const namesOfMigrations = (tables: readonly string[]): string =>
  `select name from migrations where name <> '${SEVERAL_LOGS}'${tables.includes('schema_changes') ? ` union select name from schema_changes where kind <> 'release'` : ''} order by name`

/** That this release uses the database. */
export const THIS_RELEASE: SchemaChange = {
  name: `release ${RELEASE}`,
  kind: 'release',
  version: RELEASE,
  former_version: FORMER_RELEASE,
  unused_since: null,
}

/** The error for a database that a newer version has used. */
export const newerDatabase = (reason: string): Error =>
  new Error(`The database is newer than this Postern: it has ${reason}. Start the version that last used it, or a newer one.`)

const isKnown = (release: string) => RELEASES.includes(release)
const isNext = ({ former_version, version }: SchemaChange) => !isKnown(version) && former_version === RELEASE

/** Throws if a change that this release does not know keeps it from using the database: the next release may have added to it. */
function assertUsable(change: SchemaChange) {
  if (change.kind === 'contract') {
    if (isKnown(change.unused_since ?? '')) return
    throw newerDatabase(`run the migration ${change.name}, which removed what this version uses`)
  }
  if (isNext(change)) return
  if (change.version === RELEASE) throw newerDatabase(`run the migration ${change.name}, which a later build of ${RELEASE} has brought`)
  throw new Error(
    `The database was last used by version ${change.version}, which is more than one release after this one (${VERSION}). Start that version, or the one before it.`,
  )
}

/**
 * Whether the next release has used the database. `unknown`: the names of migrations that this release does not have.
 * @throws if a release that is more than one ahead has used it, or the next one has removed what this release uses.
 */
export function judgeChanges(changes: readonly SchemaChange[], unknown: readonly string[]): boolean {
  const byName = new Map(changes.map((change) => [change.name, change]))
  const unlisted = unknown.filter((name) => !byName.has(name))
  if (unlisted.length > 0) throw newerDatabase(`run the migration ${unlisted.sort().join(', ')}, which this version does not know`)
  const releases = changes.filter(({ kind }) => kind === 'release')
  for (const name of unknown) assertUsable(byName.get(name)!)
  for (const release of releases) if (!isKnown(release.version)) assertUsable(release)
  return releases.some(isNext)
}

/** A process that shares the database: its release and the one before. */
export interface PeerRelease {
  version: string
  release: string
  former: string | undefined
}

/** Throws if a process that shares the database is of a release that is not this one, the one before or the next. */
export function assertAdjacent(peers: readonly PeerRelease[]) {
  const far = peers.find(({ release, former }) => ![RELEASE, FORMER_RELEASE].includes(release) && former !== RELEASE)
  if (!far) return
  throw new Error(
    `A process of version ${far.version} uses the database, which is more than one release from this one (${VERSION}). Stop it, or start a version beside it that is one release away.`,
  )
}

/** Throws if a process that lives uses what a migration removes. */
export function assertUnused(name: string, unusedSince: string, peers: readonly PeerRelease[]) {
  const user = peers.find(({ release }) => isKnown(release) && RELEASES.indexOf(release) < RELEASES.indexOf(unusedSince))
  if (!user) return
  throw new Error(
    `The migration ${name} removes what version ${user.version} uses, and a process of it uses the database. Stop that process first.`,
  )
}
