import { type RawBuilder, sql } from 'kysely'

/** In what SQLite and PostgreSQL differ, as facts that the stores ask for. */
export interface Flavour {
  name: 'sqlite' | 'postgres'
  /** The type of a text column that sorts by code point. */
  text: RawBuilder<unknown>
  /** The type of a primary key that numbers its rows in the order of their insertion. */
  rowNumber: RawBuilder<unknown>
  /** Transactions write side by side, so a row that a decision rests on is locked. Otherwise each has the database for itself. */
  locksRows: boolean
  /** Rate windows are counted in a table, which the processes of the database share. Otherwise in memory. */
  hasRateWindows: boolean
  /** A table `wanted (event_type, user_id)` made from a JSON list of such pairs. */
  wanted(pairsJson: string): RawBuilder<unknown>
}

/** A file with one connection, whose transactions begin as writers. */
export const sqliteFlavour: Flavour = {
  name: 'sqlite',
  text: sql`text`,
  rowNumber: sql`integer primary key autoincrement`,
  locksRows: false,
  hasRateWindows: false,
  wanted: (pairsJson) => sql`(select value ->> 0 as event_type, value ->> 1 as user_id from json_each(${pairsJson})) as wanted`,
}

/** A server with many connections from many processes. */
export const postgresFlavour: Flavour = {
  name: 'postgres',
  text: sql`text collate "C"`,
  rowNumber: sql`bigint generated always as identity primary key`,
  locksRows: true,
  hasRateWindows: true,
  wanted: (pairsJson) =>
    sql`(select pair ->> 0 as event_type, pair ->> 1 as user_id from json_array_elements(${pairsJson}::json) as pair) as wanted`,
}
