import { type RawBuilder, sql } from 'kysely'

/** The differences between SQLite and PostgreSQL that stores need. */
export interface Flavour {
  name: 'sqlite' | 'postgres'
  /** The type of a text column that sorts by code point. */
  text: RawBuilder<unknown>
  /** Whether transactions write concurrently, so that rows must be locked before decisions. Otherwise each has the whole database. */
  locksRows: boolean
  /** Whether rate windows are in a table, shared by all processes. Otherwise they are in memory. */
  hasRateWindows: boolean
  /** An expression that reads a 64-bit integer column exactly, as a number or as text. */
  exactly(column: string): string
  /** A table `pairs (first, second)` of texts, made from a JSON list of such pairs. */
  pairs(pairsJson: string): RawBuilder<unknown>
  /** A table `given` of texts with these columns, made from a JSON list of lists. */
  rows(rowsJson: string, columns: readonly string[]): RawBuilder<unknown>
  /** Whether a text contains another. */
  contains(text: RawBuilder<unknown>, part: string): RawBuilder<unknown>
  /** A table `wanted (value)` of texts, made from a JSON list of them. */
  values(valuesJson: string): RawBuilder<unknown>
}

/** A file with one connection, whose transactions take the write lock at their beginning. */
export const sqliteFlavour: Flavour = {
  name: 'sqlite',
  text: sql`text`,
  locksRows: false,
  hasRateWindows: false,
  exactly: (column) => `iif(${column} >> 53 = 0, ${column}, cast(${column} as text))`,
  pairs: (pairsJson) => sql`(select value ->> 0 as first, value ->> 1 as second from json_each(${pairsJson})) as pairs`,
  rows: (rowsJson, columns) => {
    const items = columns.map((column, place) => sql`value ->> ${sql.lit(place)} as ${sql.ref(column)}`)
    return sql`(select ${sql.join(items)} from json_each(${rowsJson})) as given`
  },
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  values: (valuesJson) => sql`json_each(${valuesJson}) as wanted`,
}

/** A server with many connections from many processes. */
export const postgresFlavour: Flavour = {
  name: 'postgres',
  text: sql`text collate "C"`,
  locksRows: true,
  hasRateWindows: true,
  exactly: (column) => `cast(${column} as text)`,
  pairs: (pairsJson) =>
    sql`(select pair ->> 0 as first, pair ->> 1 as second from json_array_elements(${pairsJson}::json) as pair) as pairs`,
  rows: (rowsJson, columns) => {
    const items = columns.map((column, place) => sql`item ->> ${sql.lit(place)} as ${sql.ref(column)}`)
    return sql`(select ${sql.join(items)} from json_array_elements(${rowsJson}::json) as item) as given`
  },
  contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
  values: (valuesJson) => sql`json_array_elements_text(${valuesJson}::json) as wanted (value)`,
}
