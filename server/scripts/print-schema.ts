import { type Kysely, sql } from 'kysely'
import { recordTypes } from '../src/endpoints/index.ts'
import { createClock } from '../src/lib/clock.ts'
import { migrateDatabase } from '../src/storage/sql/migrate-database.ts'
import { openEngine } from '../src/storage/sql/open-storage.ts'
import type { Database } from '../src/storage/sql/schema.ts'
import type { Flavour } from '../test/stage/database.ts'

/** Puts each column of a statement on a line of its own. */
function spread(statement: string): string {
  let depth = 0
  let text = ''
  for (const character of statement.replaceAll('"', '').replace(/\s+/g, ' ')) {
    if (character === ')' && --depth === 0) text = `${text.trimEnd()}\n`
    text += character === ' ' && text.endsWith('\n  ') ? '' : character
    if (character === '(' && ++depth === 1) text += '\n  '
    if (character === ',' && depth === 1) text += '\n  '
  }
  return `${text};`
}

async function sqliteSchema(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ type: string; sql: string }>`
    select type, sql from sqlite_schema where sql is not null and name not like 'sqlite!_%' escape '!'
    order by tbl_name, type desc, name`.execute(db)
  return rows.map((row) => (row.type === 'table' ? `\n${spread(row.sql)}` : `${row.sql.replaceAll('"', '')};`))
}

/** The statement for a table: its columns with type, collation, identity and default, then its constraints. */
const tableStatements = sql<{ statement: string }>`
  with parts as (
    select attrelid as relation, 1 as section, attnum::int as place, concat_ws(' ',
      attname, format_type(atttypid, atttypmod),
      case when attcollation <> typcollation then 'collate "' || collname || '"' end,
      case when attnotnull then 'not null' end,
      case attidentity when 'a' then 'generated always as identity' end,
      'default ' || pg_get_expr(adbin, adrelid)) as line
    from pg_attribute
    join pg_type on pg_type.oid = atttypid
    left join pg_collation on pg_collation.oid = attcollation
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attnum > 0 and not attisdropped
    union all
    select conrelid, 2, row_number() over (partition by conrelid order by position(contype::text in 'puf'), conname)::int,
      'constraint ' || conname || ' ' || pg_get_constraintdef(oid)
    from pg_constraint where contype <> 'n'
  )
  select 'create ' || case relpersistence when 'u' then 'unlogged ' else '' end || 'table ' || relname || E' (\n  '
    || string_agg(line, E',\n  ' order by section, place) || E'\n);' as statement, relname
  from pg_class join parts on relation = pg_class.oid
  where relkind = 'r' and relnamespace = 'public'::regnamespace
  group by relname, relpersistence`

/** The statements for the indexes that no constraint makes by itself. */
const indexStatements = sql<{ statement: string; relname: string }>`
  select pg_get_indexdef(indexrelid) || ';' as statement, relname
  from pg_index join pg_class on pg_class.oid = indrelid
  where relnamespace = 'public'::regnamespace
    and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))
  order by indexrelid::regclass::text collate "C"`

async function postgresSchema(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ statement: string; relname: string }>`
    select * from (${tableStatements}) as tables order by relname collate "C"`.execute(db)
  const { rows: indexes } = await indexStatements.execute(db)
  return rows.flatMap(({ statement, relname }) => [
    `\n${statement}`,
    ...indexes.filter((index) => index.relname === relname).map((index) => index.statement),
  ])
}

/** The SQL that the migrations and the declared resources amount to. Migrates the database at `url`, which must be empty. */
export async function printSchema(flavour: Flavour, url: string): Promise<string> {
  const { db, flavour: engineFlavour, close } = await openEngine({ url, clock: createClock() })
  try {
    await migrateDatabase(db, engineFlavour, { recordTypes })
    const statements = flavour === 'sqlite' ? await sqliteSchema(db) : await postgresSchema(db)
    return `-- The storage on ${flavour}${flavour === 'sqlite' ? ', without the file of the event log' : ''}. Printed by server/scripts/print-schema.ts.\n${statements.join('\n')}\n`
  } finally {
    await close()
  }
}
