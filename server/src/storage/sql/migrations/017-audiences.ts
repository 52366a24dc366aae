import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'

/**
 * Who is in which audience, on PostgreSQL.
 *
 * audience_numbers: the number of each audience; a removed one stays, so that no batch which comes late revives it. audience_members:
 * identifiers and whose they are (storage/memberships/apply-batch.ts), times in seconds since 1970. audience_size_changes: by how much the
 * size of an audience changes at which second; what is past is added up at 0.
 */
const statements = [
  `create table audience_numbers (
    number bigint generated always as identity primary key,
    id text collate "C" not null unique,
    removed boolean not null default false
  )`,
  `create table audience_members (
    audience bigint not null,
    identifier bytea not null,
    effective bigint not null,
    expires bigint not null,
    head bytea,
    next bytea,
    size integer not null,
    primary key (audience, identifier)
  )`,
  `create table audience_size_changes (
    audience bigint not null,
    at bigint not null,
    change bigint not null,
    primary key (audience, at)
  )`,
]

/** The memberships of audiences on PostgreSQL; on SQLite they are a file of their own. */
export const addAudiences = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  if (flavour.name === 'sqlite') return
  for (const statement of statements) await sql.raw(statement).execute(db)
}
