import { type RawBuilder, sql } from 'kysely'
import type { ContentTable } from '../../content-tables.ts'
import type { Flavour } from '../flavour.ts'

/** How a column is selected: ids of 64 bits as text, because numbers of JavaScript have 53. */
export function selectColumn({ columns }: ContentTable, column: string): string {
  const type = columns[column]
  if (type === undefined) throw new Error(`there is no column ${column}`)
  return type === 'bigid' ? `cast(${column} as text)` : column
}

/** A value as its column stores it. */
export const storedIn = ({ columns }: ContentTable, column: string, value: unknown): unknown =>
  value !== null && value !== undefined && columns[column] === 'bigid' ? BigInt(value as string) : (value ?? null)

/** A condition that a column is one of the values of a parameter; and that parameter's value. */
export function isAmong(
  flavour: Flavour,
  column: string,
  parameter: string,
  values: readonly string[],
  isNumber: boolean,
): [string, unknown] {
  if (flavour.name === 'postgres')
    return [`${column} = any((select ${parameter}::${isNumber ? 'bigint' : 'text'}[])::${isNumber ? 'bigint' : 'text'}[])`, values]
  return [`${column} in (select value from json_each(${parameter}))`, isNumber ? `[${values.join()}]` : JSON.stringify(values)]
}

/** The same for a statement that is built: whether a column of texts is one of these. */
export function isKeyAmong(flavour: Flavour, column: string, values: readonly string[]): RawBuilder<boolean> {
  const name = sql.ref(column)
  if (flavour.name === 'postgres') return sql`${name} = any(${[...values]}::text[])`
  return sql`${name} in (select value from json_each(${JSON.stringify(values)}))`
}
