import type { CreateTableBuilder, Kysely } from 'kysely'
import type { Flavour } from '../flavour.ts'

type Column = 'text' | 'bigint' | 'integer' | 'boolean'

/** The columns of a table and their types; one that ends in `?` may be null. */
export type Columns = Record<string, Column | `${Column}?`>

export function newTable(db: Kysely<unknown>, flavour: Flavour, name: string, columns: Columns) {
  let builder: CreateTableBuilder<string, string> = db.schema.createTable(name)
  for (const [column, wanted] of Object.entries(columns)) {
    const type = wanted.replace('?', '') as Column
    builder = builder.addColumn(column, type === 'text' ? flavour.text : type, (it) => (wanted.endsWith('?') ? it : it.notNull()))
  }
  return builder
}
