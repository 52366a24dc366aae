import type { DatabaseSync } from 'node:sqlite'
import { migrateFile } from '../../../files/migrate-file.ts'
import type { Migration } from '../../../migrate.ts'

/** Small, because identifiers are random: nearly each new one changes another page, which is then written as a whole. */
const PAGE_BYTES = 2048
const CACHE_KIB = 32 << 10
const CHECKPOINT_PAGES = (8 << 20) / PAGE_BYTES

/**
 *   audience     its number; a removed one stays, so that no batch which comes late revives it
 *   member       identifiers and whose they are (apply-batch.ts), clustered by audience and identifier
 *   size_change  by how much the size of an audience changes at which second; what is past is added up at 0
 */
const tables = `
  create table audience (number integer primary key, id text not null unique, removed integer not null default 0) strict;
  create table member (
    audience integer not null,
    identifier blob not null,
    effective integer not null,
    expires integer not null,
    head blob,
    next blob,
    size integer not null,
    primary key (audience, identifier)
  ) strict, without rowid;
  create table size_change (
    audience integer not null,
    at integer not null,
    change integer not null,
    primary key (audience, at)
  ) strict, without rowid;
`

const migrations: Migration<DatabaseSync>[] = [
  { name: '001-memberships', version: '0.2', kind: 'expand', up: async (db) => db.exec(tables) },
]

/** The names of all migrations of the memberships, in order. */
export const memberMigrations: readonly string[] = migrations.map(({ name }) => name)

/** Sets up the connection and brings the tables of the file to this version. */
export async function openSchema(db: DatabaseSync): Promise<void> {
  db.exec(`pragma page_size = ${PAGE_BYTES}; pragma journal_mode = wal; pragma synchronous = full;
    pragma cache_size = -${CACHE_KIB}; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
  await migrateFile(db, migrations)
}
