import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'
import type { Database } from '../schema.ts'

export interface ExistingColumn {
  name: string
  /** The SQL type, with the collation if it is not the default of the type. */
  type: string
  nullable: boolean
}

/** A table of the database as it exists. It may also be a view. */
export interface ExistingTable {
  columns: Map<string, ExistingColumn>
  /** The columns of each index, in order, without the indexes of constraints. */
  indexes: Map<string, string[]>
}

interface Statements {
  /** The names of all tables and views. */
  names: ReturnType<typeof sql<{ name: string }>>
  columns(table: string): ReturnType<typeof sql<ExistingColumn>>
  indexes(table: string): ReturnType<typeof sql<{ name: string; columns: string }>>
}

const sqlite: Statements = {
  names: sql`select name from sqlite_master where type in ('table', 'view')`,
  columns: (table) => sql`select name, lower(type) as type, "notnull" = 0 as nullable from pragma_table_info(${table})`,
  indexes: (table) => sql`
    select list.name, (select json_group_array(name) from (select name from pragma_index_info(list.name) order by seqno)) as columns
    from pragma_index_list(${table}) as list where list.origin = 'c'`,
}

/** Only the schema in which tables are created, not the rest of the search path. */
const inSchema = sql`relnamespace = (select oid from pg_namespace where nspname = current_schema())`

const postgres: Statements = {
  names: sql`select relname as name from pg_class where ${inSchema} and relkind not in ('i', 'I')`,
  columns: (table) => sql`
    select attname as name, not attnotnull as nullable, format_type(atttypid, atttypmod)
      || case when attcollation <> typcollation then ' collate "' || collname || '"' else '' end as type
    from pg_attribute join pg_class on pg_class.oid = attrelid join pg_type on pg_type.oid = atttypid
    left join pg_collation on pg_collation.oid = attcollation
    where relname = ${table} and ${inSchema} and attnum > 0 and not attisdropped`,
  indexes: (table) => sql`
    select index.relname as name, (select json_agg(attname order by attnum)::text from pg_attribute where attrelid = indexrelid) as columns
    from pg_index join pg_class as index on index.oid = indexrelid
    where indrelid = (select oid from pg_class where relname = ${table} and ${inSchema})
      and not exists (select from pg_constraint where conindid = indexrelid)`,
}

const statementsOf = ({ name }: Flavour) => ({ sqlite, postgres })[name]

/** Reads the names of all tables and views. */
export async function existingNames(db: Kysely<Database>, flavour: Flavour): Promise<Set<string>> {
  const { rows } = await statementsOf(flavour).names.execute(db)
  return new Set(rows.map(({ name }) => name))
}

/** Reads a table's columns and indexes. Undefined if no table or view has the name. */
export async function existingTable(db: Kysely<Database>, flavour: Flavour, table: string): Promise<ExistingTable | undefined> {
  const statements = statementsOf(flavour)
  const { rows: columns } = await statements.columns(table).execute(db)
  if (columns.length === 0) return undefined
  const { rows: indexes } = await statements.indexes(table).execute(db)
  return {
    columns: new Map(columns.map(({ name, type, nullable }) => [name, { name, type, nullable: Boolean(nullable) }])),
    indexes: new Map(indexes.map(({ name, columns }) => [name, JSON.parse(columns)])),
  }
}
