import type { Pool } from 'pg'
import type { Copied } from '../files/table-copies.ts'

/** Runs one statement without parameters; answers its rows. */
export type Query = (text: string) => Promise<readonly Record<string, unknown>[]>

const TABLES = `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r' order by relname`
const REFERENCES = `select child.relname as child, parent.relname as parent from pg_constraint
  join pg_class child on child.oid = conrelid join pg_class parent on parent.oid = confrelid
  where contype = 'f' and connamespace = current_schema()::regnamespace and conrelid <> confrelid`

/** Runs statements in a transaction on one connection. */
export async function inTransaction<T>(pool: Pool, run: (query: Query) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  const query: Query = async (text) => (await client.query(text)).rows
  try {
    await query('begin')
    const result = await run(query)
    await query('commit')
    return result
  } catch (error) {
    await query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
}

interface Reference {
  child: string
  parent: string
}

/** The tables, each after those that it refers to. */
function inOrder(tables: readonly string[], references: readonly Reference[]): string[] {
  const ordered = new Set<string>()
  const add = (table: string) => {
    if (ordered.has(table)) return
    for (const { child, parent } of references) if (child === table) add(parent)
    ordered.add(table)
  }
  tables.forEach(add)
  return [...ordered].filter((table) => tables.includes(table))
}

/** Many statements as one, in one round trip. */
const together = (statements: readonly string[]) => `do $copies$ begin ${statements.map((one) => `${one};`).join(' ')} end $copies$`

const schemaOf = (name: string) => `"postern_snapshot_${name}"`

/** The tables of the current schema, each after those that it refers to. */
export async function tablesInOrder(query: Query): Promise<string[]> {
  const [tables, references] = [await query(TABLES), (await query(REFERENCES)) as unknown as Reference[]]
  return inOrder(
    tables.map(({ name }) => name as string),
    references,
  )
}

async function copiedTables(query: Query, copied: Copied) {
  return (await tablesInOrder(query)).flatMap((table) => {
    const condition = copied(table)
    return condition === undefined ? [] : [{ table: `"${table}"`, condition }]
  })
}

/** Copies the tables of the current schema to a schema of this name. `query` must run in a transaction. */
export async function saveTables(query: Query, name: string, copied: Copied): Promise<number> {
  const schema = schemaOf(name)
  const tables = await copiedTables(query, copied)
  await query(
    together([
      `create schema ${schema}`,
      ...tables.map(({ table, condition }) => `create unlogged table ${schema}.${table} as select * from ${table} where ${condition}`),
    ]),
  )
  const [size] = await query(`select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint as bytes from pg_class
    where relnamespace = '${schema}'::regnamespace and relkind = 'r'`)
  return Number(size!.bytes)
}

/** Replaces the rows by those of the copy. */
export async function restoreTables(query: Query, name: string, copied: Copied): Promise<void> {
  const schema = schemaOf(name)
  const tables = await copiedTables(query, copied)
  await query(
    together([
      ...tables.toReversed().map(({ table, condition }) => `delete from ${table} where ${condition}`),
      ...tables.map(({ table }) => `insert into ${table} overriding system value select * from ${schema}.${table}`),
    ]),
  )
}

export const dropTables = (query: Query, name: string) => query(`drop schema if exists ${schemaOf(name)} cascade`)

/** Drops the copies that a former process with this prefix of names has left. */
export async function dropFormer(query: Query, prefix: string): Promise<void> {
  const found = await query(
    `select nspname as name from pg_namespace where nspname like 'postern\\_snapshot\\_${prefix.replaceAll('_', '\\_')}%'`,
  )
  for (const { name } of found) await query(`drop schema if exists "${name}" cascade`)
}
